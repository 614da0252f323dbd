import type { CallToolResult } from '@modelcontextprotocol/server'
import { isThvError } from '@toolhaven/core/errors'

/**
 * The result of a tool: the record as structured content and, for clients that know only text, as JSON. The model gets the daemon's
 * message about a refused request. A bug becomes a protocol error without details.
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
