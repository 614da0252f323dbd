/** Whose answer it was that was too large to be read, from both ends of it: common libraries write the id first or last. */
export function idOfDropped(head: string, tail: string): number | undefined {
  const id = /^\{(?:"jsonrpc":"2\.0",\s*)?"id":\s*(\d+)/.exec(head)?.[1] ?? /"id":\s*(\d+)\s*\}\s*$/.exec(tail)?.[1]
  return id === undefined ? undefined : Number(id)
}
