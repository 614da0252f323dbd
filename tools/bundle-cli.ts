import { chmod } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Makes apps/cli/dist/thv.mjs: the program in one folder of plain JavaScript, split where it loads lazily. Starting it
 * costs about half of what starting the sources costs, most of which is finding and stripping some hundred files.
 */
export async function bundleCli(): Promise<void> {
  await using build = await rolldown({
    cwd: root,
    input: { thv: 'apps/cli/bin/thv.mjs' },
    platform: 'node',
    // Some packages offer their sources to bundlers and something only Node can load to everybody else.
    resolve: { mainFields: ['module', 'main'] },
    // These two bring a native library and a WebAssembly file, which must stay files.
    plugins: [lightBuiltIns],
    external: [/^node:(?!http(?:s|2)?$)/, /^@napi-rs\/keyring/, /^@1password\/sdk/],
    onLog: (level, log) => {
      if (level === 'warn' && log.code !== 'EMPTY_IMPORT_META') process.stderr.write(`${log.message}\n`)
    },
  })
  await build.write({ dir: 'apps/cli/dist', format: 'esm', entryFileNames: '[name].mjs', cleanDir: true })
  await chmod(new URL('../apps/cli/dist/thv.mjs', import.meta.url), 0o755)
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
}

const lightBuiltIns: Plugin = {
  name: 'light-built-ins',
  resolveId: {
    filter: { id: /^(?:node:)?http(?:s|2)?$/ },
    handler: (id) => `\0light-${id.replace('node:', '')}`,
  },
  load: { filter: { id: /^\0light-/ }, handler: (id) => LIGHT[id.slice('\0light-'.length)] },
}

if (import.meta.main) await bundleCli()
