import { readDockerRun } from '@toolhaven/core/adopt/docker-arguments'
import { closest } from '@toolhaven/core/closest'

/** What the user most likely meant by something that cannot be run. */
export function serverHint([server = '']: readonly string[]): string | undefined {
  const [, reference] =
    /^(?:npm|npx|node):(?:\/\/)?(.+)$/.exec(server) ?? /^(@[\w.-]+\/[\w.-]+(?:@[\w.-]+)?)$/.exec(server) ?? []
  if (reference !== undefined && !server.startsWith('npx://')) return packageHint('npx', reference)
  const [, ofPython] = /^(?:pypi|pip|uv|uvx):(?:\/\/)?(.+)$/.exec(server) ?? []
  if (ofPython !== undefined && !server.startsWith('uvx://')) return packageHint('uvx', ofPython)
  if (/^[^/\s]+\.json$/.test(server)) return `To run a server.json, write its path: "thv run ./${server}".`
  if (/^https?:\/\/.*\/server\.json$/.test(server))
    return 'To run a server.json, download it first: "curl -O URL", then "thv run ./server.json".'
  if (/^(?:localhost|127\.0\.0\.1|\[::1\]):\d+(?:\/[^:@]*)?$/.test(server))
    return `For a server that is already running, write its URL: "thv run http://${server}".`
  const [, scheme = '', address] = /^([A-Za-z]+):\/*([^/].*)$/.exec(server) ?? []
  const meant = closest(scheme, ['https', 'http'])
  if (address !== undefined && meant !== undefined && meant !== scheme)
    return `Did you mean "thv run ${meant}://${address}"?`
  return undefined
}

const packageHint = (scheme: string, name: string) => `To run a package, write "thv run ${scheme}://${name}".`

/** Turns a command of another program, as documentation and client files show it, into a `thv run` command. */
export function otherProgramHint(line: readonly string[]): string | undefined {
  const words = line.flatMap((word, at) => (at === 0 ? word.trim().split(/\s+/) : [word]))
  const [program = '', ...rest] = words
  if (program === 'npx' || program === 'uvx') {
    const at = rest.findIndex((word) => !word.startsWith('-'))
    const [name = 'NAME', ...args] = at === -1 ? [] : rest.slice(at)
    return `Write it as "thv run ${[`${program}://${name}`, ...handed(args)].join(' ')}".`
  }
  if (program !== 'docker' && program !== 'podman') return undefined
  const found = readDockerRun(rest)
  if (typeof found === 'string') return `Write it as "thv run IMAGE", for an image of any registry: ${found}.`
  const variables = [...found.variables].flatMap(([name, value]) => ['-e', value === null ? name : `${name}=…`])
  const volumes = found.volumes.flatMap((volume) => ['-v', volume])
  return `Write it as "thv run ${[found.image, ...variables, ...volumes, ...handed(found.args)].join(' ')}".`
}

const handed = (args: readonly string[]) => (args.length > 0 ? ['--', ...args] : [])

/** AI clients and READMEs list servers in this form. */
export function clientFileHint(content: unknown): string | undefined {
  if (typeof content !== 'object' || content === null || !('mcpServers' in content)) return undefined
  return (
    'It lists "mcpServers", like the files of AI clients. Run such a server by its package, for example with "thv run npx://NAME". ' +
    '"thv adopt" shows the servers of your clients and moves them here.'
  )
}
