import { describeError, isThvError } from '../errors.ts'
import { parsePackageReference } from '../workloads/config/package-reference.ts'
import type { ServerDefinition } from '../ports/foreign-entries.ts'
import { readDockerRun } from './docker-arguments.ts'
import { maskAddress } from './is-plain-value.ts'

/** What a workload is made from instead of a client's entry. */
export interface Translation {
  image?: string
  url?: string
  transport: 'stdio' | 'sse' | 'streamable-http'
  args: readonly string[]
  variables: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string>>
  volumes: readonly string[]
  hasNetwork: boolean
  notes: string[]
}

export type Translated = { plan: Translation } | { obstacle: string }

/** How a client's entry becomes a workload, or why it cannot. A pure function. */
export function translate(definition: ServerDefinition): Translated {
  try {
    return translateDefinition(definition)
  } catch (error) {
    if (isThvError(error)) return { obstacle: describeError(error) }
    throw error
  }
}

function translateDefinition(definition: ServerDefinition): Translated {
  const { fault, isDisabled, unsupported, command, url } = definition
  if (fault !== undefined) return { obstacle: fault }
  if (isDisabled) return { obstacle: 'it is switched off in the client' }
  if (unsupported.length > 0)
    return { obstacle: `a workload has no counterpart of its field ${unsupported.join(', ')}` }
  const placeholder = placeholderIn(definition)
  if (placeholder !== undefined)
    return { obstacle: `only the client can fill in ${placeholder}; write the value there, or run it with thv run` }
  if (url !== undefined) return remote(url, definition.type, definition.headers)
  if (command === undefined) return { obstacle: 'it has neither a command nor an address' }
  const [program = '', ...words] = unwrapped(command, definition.args)
  const name = (program.split(/[/\\]/).at(-1) ?? '').replace(/\.(cmd|exe)$/i, '')
  const found = READERS[name]?.(words) ?? { obstacle: programOfTheMachine(name) }
  if ('obstacle' in found) return found
  return withVariables(found, definition.env)
}

interface Started {
  image: string
  args: readonly string[]
  docker?: { variables: ReadonlyMap<string, string | null>; volumes: readonly string[]; hasNetwork: boolean }
}

type Reader = (words: readonly string[]) => Started | { obstacle: string }

const npx: Reader = (words) =>
  packageCommand('npx', words, {
    bare: ['-y', '--yes', '-q', '--quiet', '--prefer-offline', '--no-install'],
    from: ['-p', '--package'],
  })
const uvx: Reader = (words) =>
  packageCommand('uvx', words, {
    bare: ['-q', '--quiet', '--refresh', '--isolated', '--offline', '--no-cache'],
    from: ['--from', '--spec'],
  })
const docker: Reader = (words) => {
  const run = readDockerRun(words)
  return typeof run === 'string' ? { obstacle: run } : { image: run.image, args: run.args, docker: run }
}

const READERS: Readonly<Record<string, Reader>> = {
  npx,
  bunx: npx,
  pnpx: npx,
  uvx,
  docker,
  podman: docker,
  pnpm: (words) => (words[0] === 'dlx' ? npx(words.slice(1)) : { obstacle: programOfTheMachine('pnpm') }),
  npm: (words) =>
    words[0] === 'exec' || words[0] === 'x'
      ? npx(words.slice(1).filter((word, at, all) => word !== '--' || all.indexOf('--') !== at))
      : { obstacle: programOfTheMachine('npm') },
  uv: (words) =>
    words[0] === 'tool' && words[1] === 'run' ? uvx(words.slice(2)) : { obstacle: programOfTheMachine('uv') },
  pipx: (words) => (words[0] === 'run' ? uvx(words.slice(1)) : { obstacle: programOfTheMachine('pipx') }),
  go: (words) =>
    words[0] === 'run' && words[1]?.includes('@')
      ? { image: checked(`go://${words[1]}`), args: words.slice(2) }
      : { obstacle: programOfTheMachine('go') },
}

const programOfTheMachine = (name: string) =>
  `it runs "${name}", a program of this machine; packages (npx, uvx, go run), images (docker run) and addresses can be adopted`

/** `cmd /c npx …`, as on Windows. */
function unwrapped(command: string, args: readonly string[]): string[] {
  const words = args.length === 0 ? command.trim().split(/\s+/) : [command, ...args]
  return /^cmd(\.exe)?$/i.test(words[0] ?? '') && /^\/c$/i.test(words[1] ?? '') ? words.slice(2) : words
}

interface Options {
  bare: readonly string[]
  /** Names the package apart from the command in it. */
  from: readonly string[]
}

function packageCommand(
  scheme: 'npx' | 'uvx',
  words: readonly string[],
  options: Options,
): Started | { obstacle: string } {
  let from: string | undefined
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (options.bare.includes(word)) continue
    const [flag = word, joined] = word.startsWith('--') && word.includes('=') ? splitOnce(word) : [word]
    if (options.from.includes(flag)) {
      from = joined ?? words[(at += 1)]
      continue
    }
    if (word.startsWith('-')) return { obstacle: `the ${scheme} option ${flag} has no counterpart in a workload` }
    const args = words.slice(at + 1)
    if (scheme === 'npx' && isRemoteBridge(word) && args.length === 1 && URL.canParse(args[0] ?? ''))
      return {
        obstacle: `it only forwards to ${maskAddress(args[0] ?? '')}; set that address in the client, then adopt it`,
      }
    const image = checked(`${scheme}://${(from ?? word).replace('==', '@')}`)
    const parsed = parsePackageReference(image)
    const own = parsed?.name.split('/').at(-1)
    if (from !== undefined && own !== word)
      return {
        obstacle: `it runs the command ${word} of the package ${parsed?.name}; only a package’s own command can be adopted`,
      }
    return { image, args }
  }
  return { obstacle: 'it names no package' }
}

const isRemoteBridge = (word: string) => /^mcp-remote(@|$)/.test(word)
const splitOnce = (word: string): [string, string] => [
  word.slice(0, word.indexOf('=')),
  word.slice(word.indexOf('=') + 1),
]

/** Throws if the reference is invalid. A reference without a version means `latest`. */
function checked(reference: string): string {
  const plain = reference.replace(/@latest$/, '')
  parsePackageReference(plain)
  return plain
}

function remote(url: string, type: string | undefined, headers: Translation['headers']): Translated {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return { obstacle: 'its address is not an http or https address' }
  if (parsed.username || parsed.password || parsed.search)
    return { obstacle: 'its address has a query or a password, which may be a key; send the key in a header instead' }
  const isSse = type === 'sse' || (type === undefined && parsed.pathname.endsWith('/sse'))
  const transport = isSse ? 'sse' : 'streamable-http'
  return { plan: { url, transport, args: [], variables: {}, headers, volumes: [], hasNetwork: true, notes: [] } }
}

/** A container gets only the variables that the command passes on. */
function withVariables({ image, args, docker: run }: Started, env: ServerDefinition['env']): Translated {
  const notes: string[] = []
  const variables: Record<string, string> = {}
  const given = run ? run.variables : new Map<string, string | null>(Object.entries(env))
  for (const [name, value] of given) {
    const known = value ?? env[name]
    if (known === undefined)
      return {
        obstacle: `its variable ${name} comes from the shell that starts the client; write its value into the entry`,
      }
    if (OWN_VARIABLES.has(name)) notes.push(`${name} was dropped because Toolhaven sets it for every workload`)
    else variables[name] = known
  }
  const { volumes = [], hasNetwork = true } = run ?? {}
  return { plan: { image, transport: 'stdio', args, variables, headers: {}, volumes, hasNetwork, notes } }
}

const OWN_VARIABLES = new Set(['PATH', 'HOME', 'TMPDIR', 'NODE_PATH', 'PYTHONPATH'])

function placeholderIn({ command = '', args, env, url = '', headers }: ServerDefinition): string | undefined {
  const all = [command, ...args, ...Object.values(env), url, ...Object.values(headers)]
  return all.map((text) => /\$\{[^}]*\}|\{(?:env|file):[^}]*\}/.exec(text)?.[0]).find((found) => found !== undefined)
}
