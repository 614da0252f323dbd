import { spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Dynamic imports of modules that are loaded anyway cost nothing, and show in the sources which modules are optional. */
const QUIET = ['EMPTY_IMPORT_META', 'INEFFECTIVE_DYNAMIC_IMPORT']

/**
 * The modules that nearly every command loads become one file, because finding and reading twenty small ones costs more than
 * running them. The version stays separate, because `thv --version` loads nothing else.
 */
const GROUPS = [
  { name: 'version', test: /\/apps\/cli\/(?:src\/version\.ts|package\.json)$/, priority: 2 },
  { name: 'command', test: /\/apps\/cli\/src\/run-command\.ts$/, priority: 1 },
]

/**
 * Makes thv.mjs and what it loads: the program in one folder of plain JavaScript, split where it loads lazily. Starting it
 * costs about half of what starting the sources costs, most of which is finding and stripping some hundred files.
 * Gives the files that went in.
 */
export async function bundleCli(folder = 'apps/cli/dist'): Promise<string[]> {
  await using build = await rolldown({
    cwd: root,
    input: { thv: 'apps/cli/bin/thv.mjs' },
    platform: 'node',
    // Some packages offer their sources to bundlers and something only Node can load to everybody else.
    resolve: { mainFields: ['module', 'main'] },
    // These bring a native library or a WebAssembly file, which must stay files.
    plugins: [lightBuiltIns, withoutDetour],
    external: [
      new RegExp(`^node:(?!(?:${LIGHT_NAMES})$)`),
      /^@napi-rs\/keyring/,
      /^@1password\/sdk/,
      /^@cedar-policy\//,
    ],
    onLog: (level, log) => {
      if (level === 'warn' && !QUIET.includes(log.code ?? '')) process.stderr.write(`${log.message}\n`)
    },
  })
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    codeSplitting: { groups: GROUPS },
    cleanDir: true,
  })
  await chmod(path.resolve(root, folder, 'thv.mjs'), 0o755)
  await shipForwarder(path.resolve(root, folder, 'forwarder'))
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
}

/** Its source, which is built where it is needed, and a build of it where there is a compiler here. */
async function shipForwarder(folder: string): Promise<void> {
  const sourceFolder = path.join(root, 'packages/runtimes/forwarder')
  const names = await readdir(sourceFolder)
  await mkdir(folder, { recursive: true })
  for (const name of names) await copyFile(path.join(sourceFolder, name), path.join(folder, name))
  const parts = names.filter((name) => name.endsWith('.c')).map((name) => path.join(folder, name))
  if (process.platform !== 'linux') return
  const target = path.join(folder, `forwarder-${process.platform}-${process.arch}`)
  const { error, status, stderr } = spawnSync('cc', ['-O2', '-s', '-static', '-o', target, ...parts], {
    encoding: 'utf8',
  })
  if (error === undefined && status !== 0) throw new Error(`the forwarder cannot be built: ${stderr}`)
}

/**
 * Importing `node:http` reads every one of its exports, and reading its WebSocket loads all of Node's fetch: a fifth of the
 * daemon's start for something it does not use. Taking the module itself reads only what is named. `node:https` is taken
 * when the first request needs it, and of `node:http2` the server library only asks whether a request came that way:
 * none does.
 */
const LIGHT: Readonly<Record<string, string>> = {
  http: `
    const http = process.getBuiltinModule('node:http')
    export const { Agent, ClientRequest, IncomingMessage, METHODS, OutgoingMessage, STATUS_CODES, Server, ServerResponse,
      createServer, get, globalAgent, maxHeaderSize, request, validateHeaderName, validateHeaderValue } = http
    export default http`,
  https: `
    const https = () => process.getBuiltinModule('node:https')
    export const request = (...args) => https().request(...args)
    export function Agent(options) { return new (https().Agent)(options) }
    export default { request, Agent }`,
  http2: `
    export class Http2ServerRequest {}
    export const constants = { NGHTTP2_NO_ERROR: 0 }`,
  process: 'export default globalThis.process',
  child_process: "export default { spawn: (...args) => process.getBuiltinModule('node:child_process').spawn(...args) }",
}

/**
 * Of these the same holds: `node:util` alone brings a REPL's history and worker threads along, since much of it is loaded
 * when it is read. A name is only read where somebody imports it.
 */
const TAKEN_BY_NAME = ['fs', 'net', 'util']

function builtIn(name: string): object {
  const found = process.getBuiltinModule(`node:${name}`)
  if (found === undefined) throw new Error(`Node has no module ${name}`)
  return found
}

/** Node loads these when they are read; one shared file may have them for another command. */
const LOADED_LATER = ['BlockList', 'SocketAddress']

function takenByName(name: string): string {
  const keys = Object.keys(builtIn(name)).filter((key) => /^[A-Za-z_]\w*$/.test(key))
  const exported = (key: string) =>
    LOADED_LATER.includes(key)
      ? `export function ${key}(...args) { return new taken.${key}(...args) }`
      : `export const ${key} = /* @__PURE__ */ (() => taken.${key})()`
  return `
    const taken = process.getBuiltinModule('node:${name}')
    export default taken
    ${keys.map(exported).join('\n')}`
}

/** Loaded by the first call: it brings line editing along, and most commands call nothing of it. */
function takenWhenCalled(name: string): string {
  const found = Object.entries(builtIn(name))
  const names = found.filter(([, value]) => typeof value === 'function').map(([key]) => key)
  return names
    .map((key) => `export const ${key} = (...args) => process.getBuiltinModule('node:${name}').${key}(...args)`)
    .join('\n')
}

const TAKEN_WHEN_CALLED = ['fs/promises']

/**
 * A chunk that others take parts of is imported by way of a file that only renames them back. One more file for every
 * command is a twentieth of the time of `thv list`, so the command that every start imports is taken where it is.
 */
const withoutDetour: Plugin = {
  name: 'without-detour',
  generateBundle: (_, bundle) => {
    const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
    const detour = chunks.find(({ name }) => name === 'run-command')
    const [, inner, target] = /^export \{ (\S+) as runCommand \} from "(\S+)";\s*$/.exec(detour?.code ?? '') ?? []
    if (detour === undefined || inner === undefined) throw new Error('run-command is bundled in another way now')
    const detoured = `const { runCommand } = await import("./${detour.fileName}")`
    const from = chunks.find(({ code }) => code.includes(detoured))
    if (from === undefined) throw new Error('no chunk imports run-command in the way that is expected')
    from.code = from.code.replace(detoured, `const { ${inner}: runCommand } = await import("${target}")`)
    delete bundle[detour.fileName]
  },
}

const LIGHT_NAMES = [...Object.keys(LIGHT), ...TAKEN_BY_NAME, ...TAKEN_WHEN_CALLED].join('|')

const lightBuiltIns: Plugin = {
  name: 'light-built-ins',
  resolveId: {
    filter: { id: new RegExp(`^(?:node:)?(?:${LIGHT_NAMES})$`) },
    handler: (id, importer, { kind }) => {
      const name = id.replace('node:', '')
      // Commander takes the default of these two; a whole `process` is read with every property, some of which load much.
      const isWhole = name.includes('process') && !importer?.includes('/commander/')
      // An import of a whole module anywhere would have every start read all of it.
      const isLater = kind === 'dynamic-import' || (kind === 'require-call' && !(name in LIGHT))
      if (isWhole || isLater) return { id: `node:${name}`, external: true }
      return `\0light-${name}`
    },
  },
  load: {
    filter: { id: /^\0light-/ },
    handler: (id) => {
      const name = id.slice('\0light-'.length)
      return LIGHT[name] ?? (TAKEN_WHEN_CALLED.includes(name) ? takenWhenCalled(name) : takenByName(name))
    },
  },
}

if (import.meta.main) await bundleCli(process.argv[2])
