import { execFile } from 'node:child_process'
import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type ServerProcess, freePort, startServer } from './server-process.ts'

/** Programs others use to put a stdio server behind HTTP. Not dependencies of ours: installed for the bench only. */
const PEERS = {
  'mcp-proxy': {
    version: '6.7.19',
    entry: 'dist/bin/mcp-proxy.mjs',
    args: (port: number, file: string) => [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--server',
      'stream',
      '--',
      process.execPath,
      file,
    ],
  },
  supergateway: {
    version: '4.0.0',
    entry: 'dist/index.js',
    args: (port: number, file: string) => [
      ...['--stdio', `${process.execPath} ${file}`, '--outputTransport', 'streamableHttp', '--stateful'],
      ...['--port', String(port), '--logLevel', 'none'],
    ],
  },
} as const

export type PeerName = keyof typeof PEERS
export const PEER_NAMES: readonly PeerName[] = ['mcp-proxy', 'supergateway']

const FOLDER = fileURLToPath(new URL('../../../.cache/bench-peers/', import.meta.url))

export async function startPeer(name: PeerName, fixtureFile: string): Promise<ServerProcess> {
  const { entry, args, version } = PEERS[name]
  const program = join(FOLDER, `${name}-${version}`, 'node_modules', name, entry)
  await access(program).catch(() => install(name, version))
  const port = await freePort()
  const env = { PATH: process.env['PATH'] ?? '', HOME: FOLDER }
  return startServer({
    command: process.execPath,
    args: [program, ...args(port, fixtureFile)],
    env,
    port,
    path: '/ping',
    anyStatus: true,
  })
}

async function install(name: PeerName, version: string): Promise<void> {
  const folder = join(FOLDER, `${name}-${version}`)
  await mkdir(folder, { recursive: true })
  const flags = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
  await promisify(execFile)('npm', ['install', ...flags, `${name}@${version}`])
}
