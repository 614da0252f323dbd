import type { Server, ServerList } from './servers.ts'

/** Servers that contain every word, best first: matches in the name, then in tags and tools, then in the description. */
export function searchServers({ servers, remote_servers }: ServerList, query: string): ServerList {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return { servers: ranked(servers, words), remote_servers: ranked(remote_servers, words) }
}

function ranked<Kind extends Server>(servers: readonly Kind[], words: readonly string[]): Kind[] {
  return servers
    .map((server) => ({ server, scores: words.map((word) => scoreOf(server, word)) }))
    .filter(({ scores }) => scores.every((score) => score > 0))
    .toSorted((a, b) => sum(b.scores) - sum(a.scores))
    .map(({ server }) => server)
}

function scoreOf({ name = '', tags = [], tools, description }: Server, word: string): number {
  const has = (text: string) => text.toLowerCase().includes(word)
  if (name.toLowerCase() === word) return 8
  if (has(name)) return 4
  if (tags.some(has) || tools.some(has)) return 2
  return has(description) ? 1 : 0
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
