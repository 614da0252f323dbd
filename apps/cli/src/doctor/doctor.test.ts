import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type Server, createServer as createHttpServer } from 'node:http'
import { type Server as NetServer, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DoctorCheck } from '@toolhaven/contract/doctor'
import type { Confinement } from '@toolhaven/contract/isolation'
import { setAside } from '@toolhaven/stores/files/set-aside'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { checkFiles } from './check-files.ts'
import { imageCheck } from './check-image.ts'
import { statusCheck } from './check-workload.ts'
import { clientChecks, runtimeChecks, versionCheck } from './check-machine.ts'
import { gradeOf, worstOf } from './grade.ts'
import { isListening } from './is-listening.ts'
import { judgeIsolation } from './judge-isolation.ts'
import { probeServer, weightCheck } from './probe-server.ts'

const check = (name: string, status: DoctorCheck['status']): DoctorCheck => ({ check: name, status, found: '' })
const statusOf = (checks: readonly DoctorCheck[], name: string) => checks.find((each) => each.check === name)?.status

describe('the grade', () => {
  it.each([
    ['A', [check('ping', 'ok'), check('mounts', 'info')]],
    ['B', [check('network', 'warning'), check('user', 'warning')]],
    ['C', [check('ping', 'failed'), check('user', 'warning')]],
    ['D', [check('ping', 'failed'), check('capabilities', 'failed')]],
    ['F', [check('initialize', 'failed')]],
    ['F', [check('sandbox', 'failed')]],
  ])('%s', (grade, checks) => {
    expect(gradeOf(checks)).toBe(grade)
  })
  it('of the whole is the worst of its parts', () => {
    expect(worstOf(['A', 'C', 'B'])).toBe('C')
    expect(worstOf([])).toBe('A')
  })
})

describe('the image', () => {
  const digest = 'sha256:0'
  it.each([
    ['ok', { digest, verification: 'verified', detail: 'signed by ci' }, 'sha256:0, signed by ci'],
    ['warning', { digest, verification: 'rejected', detail: 'signed by others' }, 'sha256:0, signed by others'],
    ['warning', { digest, verification: 'unreachable', detail: 'no answer' }, 'sha256:0, no answer'],
    ['info', { digest, verification: 'no-provenance', detail: 'nobody knows' }, 'sha256:0, nobody knows'],
    ['info', { digest }, 'sha256:0, its signature was not checked'],
  ] as const)('is %s with %j', (status, image, found) => {
    expect(imageCheck(image)).toMatchObject([{ check: 'image', status, found }])
  })
  it('is not spoken of when no registry has it', () => {
    expect(imageCheck(undefined)).toEqual([])
  })
})

describe('the isolation in force', () => {
  const best: Confinement = {
    ...{ seen_by: 'kernel', user: '1000', capabilities: [], privileged: false, no_new_privileges: true },
    ...{ system_call_filter: true, own_files: true, read_only_root: true, network: 'none' },
    ...{ memory_bytes: 2 ** 30, pids: 512, mounts: [] },
  }
  const subject = { name: 'time', runtime: 'docker', wantsNetwork: false, isIsolated: true, isObserved: false }
  it('has nothing to fix when all of it holds', () => {
    expect(judgeIsolation(subject, best).filter(({ status }) => status !== 'ok')).toEqual([])
  })
  it.each<[string, Partial<Confinement>, DoctorCheck['status']]>([
    ['sandbox', { own_files: false }, 'failed'],
    ['sandbox', { privileged: true }, 'failed'],
    ['capabilities', { capabilities: ['SYS_ADMIN'] }, 'failed'],
    ['no-new-privileges', { no_new_privileges: false }, 'failed'],
    ['system-calls', { system_call_filter: false }, 'warning'],
    ['read-only-root', { read_only_root: false }, 'warning'],
    ['user', { user: '0' }, 'warning'],
    ['user', { user: '65534', outside_user: '0' }, 'warning'],
    ['network', { network: 'own' }, 'failed'],
    ['mounts', { mounts: [{ source: '/notes', target: '/n', read_only: true }] }, 'info'],
  ])('%s is found wanting for %j', (name, worse, status) => {
    const found = judgeIsolation(subject, { ...best, ...worse }).find((each) => each.check === name)
    expect(found).toMatchObject({ status })
    expect(found?.fix !== undefined).toBe(status !== 'info')
  })
  it.each(['own', 'host'] as const)('another network (%s) is a failure where only the gate may lead out', (network) => {
    const isolated = { ...subject, wantsNetwork: true }
    expect(statusOf(judgeIsolation(isolated, { ...best, network }), 'network')).toBe('failed')
    expect(judgeIsolation(isolated, best)).toContainEqual({
      check: 'network',
      status: 'ok',
      found: 'a network of its own, from which only the egress gate leads out',
    })
  })

  it('that everything is allowed to see what is used is a warning with the way to end it', () => {
    const observed = { ...subject, wantsNetwork: true, isObserved: true }
    expect(judgeIsolation(observed, best)).toContainEqual({
      check: 'network',
      status: 'warning',
      found: 'it is observed: every public host is allowed',
      fix: 'thv learn time --apply',
    })
    expect(statusOf(judgeIsolation(observed, { ...best, network: 'own' }), 'network')).toBe('failed')
  })

  it('a shared network and missing limits are warnings', () => {
    const { memory_bytes: _memory, pids: _pids, ...free } = best
    const checks = judgeIsolation({ ...subject, wantsNetwork: true, isIsolated: false }, { ...free, network: 'host' })
    expect([statusOf(checks, 'network'), statusOf(checks, 'limits')]).toEqual(['warning', 'warning'])
  })
})

describe('the machine', () => {
  it('has one version', () => {
    expect(versionCheck('1', '1').status).toBe('ok')
    expect(versionCheck('1', '2')).toMatchObject({ status: 'failed', fix: expect.stringContaining('thv serve') })
  })
  it('has a runtime that answers, and what it cannot do is told', () => {
    const common = { name: 'docker', tried: [] }
    expect(runtimeChecks({ ...common, state: 'unhealthy', reason: 'gone', notes: [] })).toMatchObject([
      { status: 'failed' },
    ])
    // The command that only repeats the note does not help.
    expect(runtimeChecks({ ...common, state: 'healthy', version: '1', notes: ['no limits; run as another'] })).toEqual([
      expect.objectContaining({ status: 'ok' }),
      { check: 'runtime', status: 'warning', found: 'no limits; run as another' },
    ])
  })
  it('has clients whose files can be read and hold no keys', () => {
    expect(clientChecks({ servers: [], faults: [] })).toMatchObject([{ status: 'ok' }])
    expect(clientChecks({ servers: [], faults: [{ client_type: 'Cursor', reason: 'line 1' }] })).toMatchObject([
      { status: 'failed' },
    ])
    const server = {
      name: 'gh',
      found_in: [],
      command: '',
      env_vars: [{ name: 'KEY', secret: true }],
      headers: [],
      notes: [],
    }
    const becomes = { image: 'npx://x', transport: 'stdio' as const, cmd_arguments: [], volumes: [] }
    expect(clientChecks({ servers: [{ ...server, becomes }], faults: [] })).toMatchObject([
      { status: 'warning', fix: 'thv adopt' },
    ])
  })
  it('has ports where somebody listens', async () => {
    await using server = await listen(createServer())
    expect(await isListening(`http://127.0.0.1:${server.port}/mcp`)).toBe(true)
    await server[Symbol.asyncDispose]()
    expect(await isListening(`http://127.0.0.1:${server.port}/mcp`)).toBe(false)
  })
})

it('has a port that a URL leaves out', async (context) => {
  const server = createServer()
  const address = await new Promise<string>((resolve) => {
    server.once('error', () => resolve(''))
    server.listen(80, '127.0.0.80', () => resolve('http://127.0.0.80:80/mcp'))
  })
  if (address === '') context.skip('port 80 is not ours to listen on')
  expect(await isListening(address)).toBe(true)
  server.close()
})

describe('files', () => {
  let base = ''
  const uid = process.getuid?.() ?? 0
  const paths = () => ({
    stateDir: join(base, 'state'),
    dataDir: join(base, 'data'),
    configDir: join(base, 'config'),
    socketPath: join(base, 'run', 's'),
  })
  const look = async (name: string) => (await checkFiles(paths(), uid)).find((each) => each.check === name)
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'thv-doctor-'))
    for (const folder of ['state', 'data', 'run']) await mkdir(join(base, folder), { mode: 0o700 })
  })
  afterEach(() => rm(base, { recursive: true, force: true }))

  it('of their owner only are fine', async () => {
    await using _server = await listen(createServer(), paths().socketPath)
    await chmod(paths().socketPath, 0o600)
    await writeFile(join(base, 'data', 'secrets.enc'), '', { mode: 0o600 })
    expect((await checkFiles(paths(), uid)).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
  })
  it('that were damaged and set aside are told', async () => {
    const file = join(base, 'state', 'workloads', 'time.json')
    await mkdir(join(base, 'state', 'workloads'), { mode: 0o700 })
    await writeFile(file, '', { mode: 0o600 })
    const aside = await setAside(file, 0)
    expect(await look('damaged')).toMatchObject({ status: 'warning', found: expect.stringContaining(aside) })
  })
  it('that others may read are told', async () => {
    await writeFile(join(base, 'data', 'secrets.enc'), '', { mode: 0o644 })
    expect(await look('folders')).toMatchObject({ status: 'failed', fix: expect.stringContaining('chmod 600') })
    await chmod(join(base, 'state'), 0o755)
    expect(await look('folders')).toMatchObject({ status: 'failed', fix: expect.stringContaining('chmod 700') })
    expect((await checkFiles(paths(), uid + 1))[1]).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('chown'),
    })
  })
  it('a socket that is missing, no socket, or open to all is told', async () => {
    expect(await look('socket')).toMatchObject({ status: 'failed', fix: 'thv serve' })
    await writeFile(paths().socketPath, '')
    expect(await look('socket')).toMatchObject({ status: 'failed', found: expect.stringContaining('is not a socket') })
    await rm(paths().socketPath)
    await using _server = await listen(createServer(), paths().socketPath)
    await chmod(paths().socketPath, 0o666)
    await chmod(join(base, 'run'), 0o755)
    expect(await look('socket')).toMatchObject({ status: 'failed', fix: expect.stringContaining('chmod 600') })
    expect((await checkFiles(paths(), uid + 1))[0]).toMatchObject({
      status: 'failed',
      found: expect.stringContaining('belongs to'),
    })
  })
  it('a state folder that is not there is told', async () => {
    await rm(join(base, 'state'), { recursive: true })
    expect(await look('disk')).toMatchObject({ status: 'failed' })
    expect(await look('folders')).toMatchObject({ status: 'failed', found: expect.stringContaining('was removed') })
  })
})

describe('a server', () => {
  const good = { name: 'echo', description: 'Says it again', inputSchema: { type: 'object' } }
  const probe = async (answers: Record<string, unknown>) => {
    await using server = await serveMcp(answers)
    return await probeServer('time', `http://127.0.0.1:${server.port}/mcp`, AbortSignal.timeout(30_000))
  }

  it('that answers well is told with its protocol, tools and weight', async () => {
    const found = await probe({ 'tools/list': { tools: [good] } })
    expect(found.checks.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
    expect(found).toMatchObject({ protocolVersion: '2025-06-18', tools: 1 })
    expect(found.tokens).toBe(Math.ceil(JSON.stringify([good]).length / 4))
  })
  it.each([
    ['protocol', 'warning', { version: '2024-11-05', 'tools/list': { tools: [good] } }],
    ['ping', 'failed', { ping: 'error', 'tools/list': { tools: [good] } }],
    ['tools', 'failed', { 'tools/list': { tools: 'none' } }],
    [
      'tools',
      'failed',
      { 'tools/list': { tools: [{ ...good, inputSchema: { type: 'object', properties: { a: { type: 'strin' } } } }] } },
    ],
    ['tools', 'failed', { 'tools/list': { tools: [good, good] } }],
    ['tools', 'failed', { 'tools/list': { tools: [{ ...good, name: 'two words' }] } }],
    ['tools', 'warning', { 'tools/list': { tools: [{ ...good, description: ' ' }] } }],
  ])('has a %s that is %s', async (name, status, answers) => {
    expect(statusOf((await probe(answers)).checks, name)).toBe(status)
  })
  it('that nobody can connect to fails as a whole', async () => {
    const { checks } = await probe({ initialize: 'error' })
    expect(checks).toMatchObject([{ check: 'initialize', status: 'failed', fix: 'thv logs time' }])
  })
  it('with heavy definitions is told how to lighten them', () => {
    const tools = [{ ...good, inputSchema: { type: 'object' as const } }]
    expect(weightCheck('time', tools, 10_001)).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('--tools echo'),
    })
  })
})

interface Listening extends AsyncDisposable {
  port: number
}

async function listen(server: NetServer | Server, path?: string): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(path ?? { port: 0, host: '127.0.0.1' }, () => resolve()))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const message = z.object({ id: z.number().optional(), method: z.string() })

/** A server that speaks just enough MCP, and badly where it is told to. */
async function serveMcp(answers: Record<string, unknown>): Promise<Listening> {
  const initialize = {
    protocolVersion: answers['version'] ?? '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'fixture', version: '1' },
  }
  const results: Record<string, unknown> = { initialize, ping: {}, ...answers }
  const server = createHttpServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const { id, method } = message.parse(JSON.parse(body))
      if (id === undefined) return void response.writeHead(202).end()
      const result = results[method]
      const isError = result === undefined || result === 'error'
      const answer = isError ? { error: { code: -32601, message: 'no such method' } } : { result }
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    })
  })
  return listen(server)
}

describe('the status of a workload', () => {
  it.each([
    ['running', '', 'ok', undefined],
    ['starting', 'pulling time', 'info', undefined],
    ['stopped', '', 'failed', 'thv restart time'],
    ['unknown', 'Docker does not answer', 'failed', 'thv runtime check'],
    ['error', 'secret key not found', 'failed', 'thv secret set key'],
    ['error', 'the server exited with code 1', 'failed', 'thv logs time'],
  ] as const)('%s (%s) is %s', (status, context, outcome, fix) => {
    expect(statusCheck({ name: 'time', status, status_context: context, remote: false })).toMatchObject({
      status: outcome,
      ...(fix && { fix }),
    })
  })

  it('names the program that has its port', () => {
    const told = statusCheck({
      name: 'time',
      status: 'error',
      status_context: 'Port 4000 on 127.0.0.1 is taken by nginx (pid 7); free it.',
      remote: false,
    })
    expect(told).toMatchObject({
      found: expect.stringContaining('nginx (pid 7)'),
      fix: expect.stringContaining('port 4000'),
    })
  })
})
