import { mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { isThvError } from '@toolhaven/core/errors'
import { LABELS } from '@toolhaven/core/ports/runtime'
import type { PackageScheme, Progress, Runtime } from '@toolhaven/core/ports/runtime'
import { createPackageIndex } from '../package-index/package-index.ts'
import { testIsolation } from '../../test/support/isolation.ts'
import { createProcessRuntime } from './process-runtime.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const signal = () => AbortSignal.timeout(280_000)

describe('real servers in the sandbox, fetched from the real indexes', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'thv-real-'))
  const machine = { nodePath: process.execPath, env: process.env, homeDir: homedir() }
  const isolation = testIsolation(dataDir)
  const runtime = createProcessRuntime({ ...machine, dataDir, allowUnsandboxed: false, isolation, logger: silent })
  const index = createPackageIndex(machine)
  afterAll(async () => {
    await runtime[Symbol.asyncDispose]()
    await rm(dataDir, { recursive: true, force: true })
  })

  test.each([
    { scheme: 'npx', name: '@modelcontextprotocol/server-everything', tool: 'echo' },
    { scheme: 'uvx', name: 'mcp-server-time', tool: 'get_current_time' },
  ] as const)(
    '$scheme://$name answers initialize and tools/list, and is fetched once',
    async ({ scheme, name, tool }) => {
      const version = await index.latestVersion(scheme, name, signal())
      const seen: Progress[] = []
      const prepare = (from: Runtime) =>
        from.prepare(
          { kind: 'package', scheme, name, version },
          { pull: 'if-absent', onProgress: (p) => seen.push(p) },
          signal(),
        )
      const prepared = await prepare(runtime)
      expect(seen.map((progress) => progress.phase)).toContain('fetching')
      expect(await toolsOf(runtime, { scheme, name, version, id: prepared.id })).toContain(tool)

      // Nothing answers at this address, so a second fetch would fail. The index is the same, because packages of
      // another index would not be reused.
      seen.length = 0
      const nowhere = 'http://127.0.0.1:1/'
      const offline = { ...process.env, HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, npm_config_https_proxy: nowhere }
      await using later = createProcessRuntime({
        ...machine,
        env: offline,
        dataDir,
        allowUnsandboxed: false,
        isolation,
        logger: silent,
      })
      expect(await prepare(later)).toEqual(prepared)
      expect(seen).toEqual([])
    },
  )

  test.for([
    ['npx', 'thv-nobody-has-published-this'],
    ['uvx', 'thv-nobody-has-published-this'],
    ['go', 'example.com/thv/nobody-has-published-this'],
  ] as const)('a package that the %s index does not have is not found', async ([scheme, name], context) => {
    const error: unknown = await index.latestVersion(scheme, name, signal()).catch((thrown: unknown) => thrown)
    if (scheme === 'go' && String(error).includes('Go is missing')) context.skip('no Go toolchain on this machine')
    expect(isThvError(error, 'not-found') || String(error), String(error)).toBe(true)
    expect(String(error)).toContain(name)
  })

  test('a Python version nobody published is not found', async () => {
    const source = { kind: 'package', scheme: 'uvx', name: 'mcp-server-time', version: '1.999' } as const
    const attempt = runtime.prepare(source, { pull: 'if-absent', onProgress: () => {} }, signal())
    await expect(attempt).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('mcp-server-time==1.999'),
    })
  })
})

interface Wanted {
  scheme: PackageScheme
  name: string
  version: string
  id: string
}

async function toolsOf(runtime: Runtime, { scheme, name, version, id }: Wanted): Promise<string[]> {
  const labels = { [LABELS.instance]: 'real-servers' }
  const source = { kind: 'package', scheme, name, version } as const
  const spec = {
    name: `thv-${scheme}`,
    labels,
    prepared: { id },
    source,
    args: [],
    env: {},
    mounts: [],
    network: 'none',
    stdio: true,
    limits: {},
  } as const
  const handle = await runtime.create(spec, signal())
  const channel = await runtime.attach(handle, signal())
  const answers = new Map<number, Record<string, unknown>>()
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  let text = ''
  let errors = ''
  channel.onStderr = (chunk) => (errors += Buffer.from(chunk).toString())
  channel.onClose = () => reject(new Error(`the server ended: ${errors}`))
  const send = (message: object) => channel.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  channel.onStdout = (chunk) => {
    text += Buffer.from(chunk).toString()
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const message = JSON.parse(line)
      if (typeof message.id === 'number' && 'result' in message) answers.set(message.id, message.result)
      if (message.id === 1) {
        void send({ method: 'notifications/initialized' })
        void send({ id: 2, method: 'tools/list' })
      }
      if (message.id === 2) resolve(message.result.tools.map((tool: { name: string }) => tool.name))
    }
  }
  await runtime.start(handle, signal())
  const clientInfo = { name: 'test', version: '1' }
  await send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  const tools = await promise
  expect(answers.get(1)).toHaveProperty('serverInfo')
  await runtime.stop(handle, 5000, signal())
  return tools
}
