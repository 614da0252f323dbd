/** Requests that only read. Whatever else a client calls may have an effect, and must not have it twice. */
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

/** Whether a server may get the request again when the connection broke and nobody knows if it got it before. */
export const isRepeatable = (method: string) => READS.has(method)
