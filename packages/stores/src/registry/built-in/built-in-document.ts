import document from './registry.json' with { type: 'json' }

/** The built-in registry, unchecked. Its reader checks it, because a check at import would delay every start. */
export const builtInDocument: unknown = document
