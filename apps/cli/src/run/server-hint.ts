import { basename, dirname } from 'node:path'
import { readDockerRun } from '@toolhaven/core/adopt/docker-arguments'
import { closest } from '@toolhaven/core/closest'
import { ownProgramHint } from './own-program.ts'

/** What the user most likely meant by something that cannot be run. */
export function serverHint([server = '']: readonly string[]): string | undefined {
  const [, reference] =
    /^(?:npm|npx|node):\/*(.+)$/.exec(server) ?? /^(@[\w.-]+\/[\w.-]+(?:@[\w.-]+)?)$/.exec(server) ?? []
  if (reference !== undefined && !server.startsWith('npx://')) return packageHint('npx', reference)
  const [, ofPython] = /^(?:pypi|pip|uv|uvx):\/*(.+)$/.exec(server) ?? []
  if (ofPython !== undefined && !server.startsWith('uvx://')) return packageHint('uvx', ofPython)
  const [, ofGo] = /^go:(?!\/\/)\/*(.+)$/.exec(server) ?? []
  if (ofGo !== undefined) return packageHint('go', ofGo)
  if (/^[^/\s]+\.json$/.test(server)) return `To run a server.json, write its path: "thv run ./${server}".`
  if (/^https?:\/\/.*\/server\.json$/.test(server))
    return 'To run a server.json, download it first: "curl -O URL", then "thv run ./server.json".'
  if (/^(?:localhost|127\.0\.0\.1|\[::1\]):\d+(?:\/[^:@]*)?$/.test(server))
    return `For a server that is already running, write its URL: "thv run http://${server}".`
  if (/^[\w-]+(?:\.[\w-]+)+(?::\d+)?\/(?:.*\/)?(?:mcp|sse)\/?$/.test(server))
    return `For a remote server, write its URL: "thv run https://${server}".`
  const [, scheme = '', address] = /^([A-Za-z]+):\/*([^/].*)$/.exec(server) ?? []
  const meant = closest(scheme, ['https', 'http'])
  if (address !== undefined && meant !== undefined && meant !== scheme)
    return `Did you mean "thv run ${meant}://${address}"?`
  return programFileHint(server)
}

const INTERPRETERS: Readonly<Record<string, string>> = {
  py: 'python3',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  ts: 'node',
  rb: 'ruby',
}

/** The command for a file of the user's own program. */
function programFileHint(server: string): string | undefined {
  const [file, ending = ''] = /^[^\s:]+\.([a-z]+)$/.exec(server) ?? []
  const interpreter = INTERPRETERS[ending]
  if (file === undefined || interpreter === undefined) return undefined
  return file.startsWith('/')
    ? ownProgramHint([interpreter, basename(file)], dirname(file))
    : ownProgramHint([interpreter, file])
}

const packageHint = (scheme: string, name: string) => `To run a package, write "thv run ${scheme}://${name}".`

/** What starts a package elsewhere, and the scheme that does it here. */
const STARTERS: readonly (readonly [readonly string[], string])[] = [
  [['npx'], 'npx'],
  [['bunx'], 'npx'],
  [['bun', 'x'], 'npx'],
  [['npm', 'exec'], 'npx'],
  [['npm', 'install'], 'npx'],
  [['npm', 'i'], 'npx'],
  [['pnpm', 'dlx'], 'npx'],
  [['pnpx'], 'npx'],
  [['yarn', 'dlx'], 'npx'],
  [['uvx'], 'uvx'],
  [['uv', 'tool', 'run'], 'uvx'],
  [['uv', 'run'], 'uvx'],
  [['pipx', 'run'], 'uvx'],
  [['pip', 'install'], 'uvx'],
  [['go', 'run'], 'go'],
]

const PAGES: readonly (readonly [RegExp, string])[] = [
  [/^https?:\/\/(?:www\.)?npmjs\.com\/package\/((?:@[\w.-]+\/)?[\w.-]+)/, 'npx://'],
  [/^https?:\/\/pypi\.[a-z]+\/project\/([\w.-]+)/, 'uvx://'],
  [/^https?:\/\/pkg\.go\.dev\/([^?#@]+)/, 'go://'],
  [/^https?:\/\/hub\.docker\.com\/r\/([\w.-]+\/[\w.-]+)/, ''],
  [/^(?:docker|oci):\/\/(.+)$/, ''],
]
const SOURCES =
  /^(?:git\+|git@|git:|github:|https?:\/\/(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org)\/[\w.-]+\/[\w.-]+)/

/** The command for something that names a package without being its name: a page about it, or another tool's prefix. */
export function notAServer(server: string): string | undefined {
  const packaged = /^(?:npm|npx|pypi|pip|uvx?|go):(?!\/\/)(.+)$/.exec(server)
  if (packaged !== null) return serverHint([server])
  for (const [page, scheme] of PAGES) {
    const [, name] = page.exec(server) ?? []
    if (name !== undefined) return `Write it as "thv run ${scheme}${name}".`
  }
  if (SOURCES.test(server))
    return 'It is a place of source code. Run what its README names: "thv run npx://NAME", "thv run uvx://NAME" or an image. A copy on this machine runs with "thv run ./FOLDER".'
  const [, name] = /^([\w.-]+@(?:latest|v?\d[\w.+-]*))$/.exec(server) ?? []
  if (name !== undefined)
    return `A package is written with its kind: "thv run npx://${name}" or "thv run uvx://${name}".`
  return undefined
}

/** Turns a command of another program, as documentation and client files show it, into a `thv run` command. */
export function otherProgramHint(line: readonly string[]): string | undefined {
  const words = line.flatMap((word, at) => (at === 0 ? word.trim().split(/\s+/) : [word]))
  const [program = '', ...rest] = words
  const starter = STARTERS.find(([start]) => start.every((word, at) => words[at] === word))
  if (starter !== undefined) {
    const [start, scheme] = starter
    const given = words.slice(start.length)
    const at = given.findIndex((word) => !word.startsWith('-'))
    const [name = 'NAME', ...args] = at === -1 ? [] : given.slice(at)
    return `Write it as "thv run ${[`${scheme}://${name}`, ...handed(args)].join(' ')}".`
  }
  if (/^python[\d.]*$/.test(program) && rest[0] === '-m' && rest[1] !== undefined)
    return `Write the name that the package has on PyPI, perhaps "thv run ${[`uvx://${rest[1].replaceAll('_', '-')}`, ...handed(rest.slice(2))].join(' ')}".`
  if (rest.length > 0) {
    const ofOwn = ownProgramHint(words)
    if (ofOwn !== undefined) return ofOwn
  }
  if (program !== 'docker' && program !== 'podman') return undefined
  if (rest.length === 0) return 'Write the image: "thv run IMAGE".'
  const found = readDockerRun(rest)
  if (typeof found === 'string') return `Write it as "thv run IMAGE", for an image of any registry: ${found}.`
  const variables = [...found.variables].flatMap(([name, value]) => ['-e', value === null ? name : `${name}=…`])
  const volumes = found.volumes.flatMap((volume) => ['-v', volume])
  return `Write it as "thv run ${[found.image, ...variables, ...volumes, ...handed(found.args)].join(' ')}".`
}

const handed = (args: readonly string[]) => (args.length > 0 ? ['--', ...args] : [])
