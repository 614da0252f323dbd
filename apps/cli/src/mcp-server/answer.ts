import type { CallToolResult } from '@modelcontextprotocol/server'
import { isThvError } from '@toolhaven/core/errors'

/**
 * What a tool gives: the record as structured content and, for clients that know only text, as JSON. What cannot be done is
 * told to the model in the daemon's own words; a fault of ours is the protocol's error, without its detail.
 */
export async function answer<Result extends Record<string, unknown>>(
  work: () => Promise<Result>,
): Promise<CallToolResult> {
  try {
    const result = await work()
    return { content: [{ type: 'text', text: JSON.stringify(result, null, 2) }], structuredContent: result }
  } catch (error) {
    if (!isThvError(error)) throw error
    return { isError: true, content: [{ type: 'text', text: error.message }] }
  }
}
