import path from 'node:path'
import { childServer, portOf } from '@toolhaven/testing/mcp-servers/child-channel'
import { pythonWith, type PythonSdk } from './clients/python-sdk.ts'
import { pipe, type Behind } from './targets.ts'

const FILE = path.join(import.meta.dirname, '..', 'python', 'server.py')

/** A server made with others' code: with the Python SDK of this generation, over this transport. */
export async function pythonServer(sdk: PythonSdk, transport: 'stdio' | 'sse' | 'streamable-http'): Promise<Behind> {
  const program = await pythonWith(sdk)
  if (transport === 'stdio') return pipe(() => childServer([transport], {}, FILE, program))
  const child = childServer([transport, '0'], {}, FILE, program)
  const port = await portOf(child, /running on http:\/\/127\.0\.0\.1:(\d+)/)
  const url = `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`
  return { backend: { kind: 'http', transport, url, processId: 'python' }, kill: child.kill }
}
