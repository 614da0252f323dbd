/** Requests that only read. Anything else may have an effect, and must not have it twice. */
const READS: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'tasks/get',
  'tasks/list',
])

/** Whether a request may be sent again when the connection broke and nobody knows whether the server got it. */
export const isRepeatable = (method: string) => READS.has(method)
