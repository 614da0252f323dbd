import { execFile } from 'node:child_process'
import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type ServerProcess, freePort, startServer } from './server-process.ts'

export type Front = 'streamable-http' | 'sse'

interface Peer {
  from: 'npm' | 'PyPI'
  package: string
  version: string
  /** Below the folder that it was installed into. */
  entry: string
  args: (port: string, front: Front, program: string) => readonly string[]
}

/** Programs others use to put a stdio server behind HTTP. Not dependencies of ours: installed for the bench only. */
const PEERS = {
  'mcp-proxy (npm)': {
    from: 'npm',
    package: 'mcp-proxy',
    version: '6.7.19',
    entry: 'node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs',
    args: (port, front, program) => [
      ...['--host', '127.0.0.1', '--port', port, '--server', front === 'sse' ? 'sse' : 'stream', '--', program],
    ],
  },
  'supergateway (npm)': {
    from: 'npm',
    package: 'supergateway',
    version: '4.0.0',
    entry: 'node_modules/supergateway/dist/index.js',
    args: (port, front, program) => [
      ...['--stdio', program, '--port', port, '--logLevel', 'none'],
      ...(front === 'sse' ? ['--outputTransport', 'sse'] : ['--outputTransport', 'streamableHttp', '--stateful']),
    ],
  },
  'mcp-proxy (PyPI)': {
    from: 'PyPI',
    package: 'mcp-proxy',
    version: '0.13.0',
    entry: 'bin/mcp-proxy',
    args: (port, _front, program) => ['--host', '127.0.0.1', '--port', port, program],
  },
} as const satisfies Record<string, Peer>

export type PeerName = keyof typeof PEERS
export const PEER_NAMES: readonly PeerName[] = ['mcp-proxy (npm)', 'supergateway (npm)', 'mcp-proxy (PyPI)']
export const NPM_PEERS: readonly PeerName[] = PEER_NAMES.filter((name) => PEERS[name].from === 'npm')

/** Their names with the versions that are measured. */
export const PEER_VERSIONS: readonly string[] = PEER_NAMES.map(
  (name) => `${PEERS[name].package} ${PEERS[name].version} (${PEERS[name].from})`,
)

const FOLDER = fileURLToPath(new URL('../../../.cache/bench-peers/', import.meta.url))

/** Makes sure that all of them can be installed before any is measured. */
export async function installPeers(): Promise<void> {
  for (const name of PEER_NAMES)
    await installed(PEERS[name], PEERS[name].entry).catch((error: unknown) => {
      const why = error instanceof Error ? error.message.split('\n')[0] : String(error)
      throw new Error(`${name} could not be installed: ${why}`, { cause: error })
    })
}

export async function startPeer(name: PeerName, front: Front, program: string): Promise<ServerProcess> {
  const peer: Peer = PEERS[name]
  const entry = join(await installed(peer, peer.entry), peer.entry)
  const port = await freePort()
  const args = peer.args(String(port), front, program)
  const env = { PATH: process.env['PATH'] ?? '', HOME: FOLDER }
  const started = peer.from === 'npm' ? { command: process.execPath, args: [entry, ...args] } : { command: entry, args }
  return startServer({ ...started, env, port, path: '/ping', anyStatus: true })
}

/** The folder of a library that is measured separately. */
export const httpProxyFolder = () =>
  installed({ from: 'npm', package: 'http-proxy-3', version: '2.0.1' }, 'node_modules/http-proxy-3/package.json')

async function installed(
  { from, package: name, version }: Pick<Peer, 'from' | 'package' | 'version'>,
  entry: string,
): Promise<string> {
  const folder = join(FOLDER, `${from}-${name}-${version}`)
  const isThere = await access(join(folder, entry)).then(
    () => true,
    () => false,
  )
  if (isThere) return folder
  await mkdir(folder, { recursive: true })
  const run = promisify(execFile)
  if (from === 'PyPI') {
    await run('python3', ['-m', 'venv', folder])
    await run(join(folder, 'bin', 'pip'), ['install', '--quiet', `${name}==${version}`])
  } else {
    const flags = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
    await run('npm', ['install', ...flags, `${name}@${version}`])
  }
  return folder
}
