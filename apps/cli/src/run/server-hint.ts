/** What a person who typed this most likely meant, if it could not be run. */
export function serverHint([server = '', ...rest]: readonly string[]): string | undefined {
  if (server === 'npx' || server === 'uvx') {
    const name = rest.find((word) => !word.startsWith('-')) ?? 'NAME'
    return `To run a package, write "thv run ${server}://${name}".`
  }
  if (/^[^/\s]+\.json$/.test(server)) return `To run a server.json, write its path: "thv run ./${server}".`
  if (/^https?:\/\/.*\/server\.json$/.test(server))
    return 'To run a server.json, download it first: "curl -O URL", then "thv run ./server.json".'
  if (/^(?:localhost|127\.0\.0\.1|\[::1\]):\d+(?:\/[^:@]*)?$/.test(server))
    return `For a server that runs already, write its address: "thv run http://${server}".`
  return undefined
}

/** In this form AI clients, and the instructions of servers, list their servers. */
export function clientFileHint(content: unknown): string | undefined {
  if (typeof content !== 'object' || content === null || !('mcpServers' in content)) return undefined
  return (
    'It lists "mcpServers", as the files of AI clients do. Run such a server by its package, with "thv run npx://NAME" for example. ' +
    '"thv adopt" shows the servers of your clients and moves them here.'
  )
}
