import { MAX_DEPTH } from '../messages/json-rpc.ts'

export const UNREADABLE = `the answer is not JSON, or nested more than ${MAX_DEPTH} levels deep`
export const overTheLimit = (maxBytes: number) => `the answer is over the limit of ${maxBytes} bytes`

/**
 * The id of an answer that could not be read, taken from both ends of it: common libraries write the id first or last.
 */
export function idOfDropped(head: string, tail: string): number | undefined {
  const id = /^\{(?:"jsonrpc":"2\.0",\s*)?"id":\s*(\d+)/.exec(head)?.[1] ?? /"id":\s*(\d+)\s*\}\s*$/.exec(tail)?.[1]
  return id === undefined ? undefined : Number(id)
}
