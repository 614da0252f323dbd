import document from './registry.json' with { type: 'json' }

/** The built-in registry as its file has it. Whoever reads it checks it: doing so at import would delay every start. */
export const builtInDocument: unknown = document
