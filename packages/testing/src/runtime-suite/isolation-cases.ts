import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { freePort } from '../free-port.ts'
import { until } from '../testbed/until.ts'
import { signal, type RuntimeCases } from './session.ts'

const MEBIBYTE = 1 << 20

export const isolationCases: RuntimeCases = {
  'holds no capability and can gain none': async ({ run }) => {
    const facts = JSON.parse((await run(['facts'])).stdout)
    expect(facts).toMatchObject({ capEff: '0'.repeat(16), capBnd: '0'.repeat(16), noNewPrivs: '1' })
  },

  'is seen from outside as confined as it is': async ({ runtime, open, sharedFolder }) => {
    const folder = await sharedFolder()
    const mounts = [{ hostPath: folder, containerPath: '/shared', readOnly: true }]
    const { handle } = await open(['echo'], { network: 'none', mounts })
    const seen = await runtime.confinement?.(handle, signal())
    expect(seen).toMatchObject({
      ...{ privileged: false, network: 'none' },
      mounts: [{ source: folder, target: '/shared', read_only: true }],
      // An engine only knows what it was told. The kernel knows what is in force.
      ...(seen?.seen_by === 'kernel' && { capabilities: [], no_new_privileges: true }),
    })
    await runtime.stop(handle, 0, signal())
    expect(await runtime.confinement?.(handle, signal())).toBeUndefined()
  },

  'runs under a system call filter': async ({ run, under }, skip) => {
    if (under.lacks?.seccomp !== undefined) return skip(under.lacks.seccomp)
    expect(JSON.parse((await run(['facts'])).stdout).seccomp).toBe('2')
  },

  'sees only its own processes': async ({ run }) => {
    expect(JSON.parse((await run(['facts'])).stdout).visiblePids).toBeLessThan(6)
  },

  'knows nothing of the environment of the daemon': async ({ run }) => {
    const { env } = JSON.parse((await run(['facts'])).stdout)
    expect(env).not.toHaveProperty('VITEST')
  },

  'has a loopback and nothing else without network': async ({ run }) => {
    const { routes, interfaces } = JSON.parse((await run(['facts'], { network: 'none' })).stdout)
    expect(routes).toBe(0)
    expect(interfaces.filter((name: string) => name !== 'lo')).toEqual([])
  },

  'reaches no service of the host without network': async ({ run, under }, skip) => {
    if (under.lacks?.network !== undefined) return skip(under.lacks.network)
    const addresses = hostAddresses()
    await using listener = await listen()
    const args = ['connect', String(listener.port), '127.0.0.1', ...addresses]
    const cut = JSON.parse((await run(args, { network: 'none' })).stdout)
    expect(Object.values(cut)).not.toContain('connected')
    if (under.lacks?.hostReachable !== undefined) return
    // The same probe does connect on the network of the machine, so the refusal above proves something.
    const open = JSON.parse((await run(args, { network: 'host' })).stdout)
    expect(Object.values(open)).toContain('connected')
  },

  'is reachable at the address it reports on the network of the machine': async ({ runtime, open, under }, skip) => {
    if (under.lacks?.network !== undefined) return skip(under.lacks.network)
    const targetPort = await freePort()
    const { handle } = await open(['http', String(targetPort)], { network: 'host', targetPort, stdio: false })
    const body = await until('the server answers', async () => {
      const state = await runtime.inspect(handle, signal())
      if (state.state !== 'running' || state.address === undefined) return undefined
      const { host, port } = state.address
      return fetch(`http://${host}:${port}/x`).then(
        (response) => response.text(),
        () => undefined,
      )
    })
    expect(body).toBe('hello from /x')
    await runtime.stop(handle, 0, signal())
    await using taken = await listen()
    const at = { network: 'host', targetPort: taken.port, stdio: false } as const
    await expect(open(['http', String(taken.port)], at)).rejects.toMatchObject({ code: 'conflict' })
  },

  'reads but cannot change a read-only mount': async ({ run, sharedFolder }) => {
    const folder = await sharedFolder()
    await writeFile(join(folder, 'note'), 'from the host')
    const mounts = [{ hostPath: folder, containerPath: '/shared', readOnly: true }]
    expect((await run(['read', '/shared/note'], { mounts })).stdout).toBe('from the host\n')
    expect((await run(['write', '/shared/new'], { mounts })).stdout).toBe('EROFS\n')
  },

  'changes a writable mount': async ({ run, sharedFolder }) => {
    const folder = await sharedFolder()
    const mounts = [{ hostPath: folder, containerPath: '/shared', readOnly: false }]
    expect((await run(['write', '/shared/new'], { mounts })).stdout).toBe('written\n')
    expect(await readFile(join(folder, 'new'), 'utf8')).toBe('written by the fixture')
  },

  'leaves no program behind that others run as its user or group': async ({ run, sharedFolder }) => {
    for (const network of ['none', 'host'] as const) {
      const folder = await sharedFolder()
      const mounts = [{ hostPath: folder, containerPath: '/shared', readOnly: false }]
      const { stdout } = await run(['leaveSetId', '/shared'], { mounts, network })
      expect(stdout).toContain('tried\n')
      const names = await readdir(folder)
      const modes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mode & 0o6000))
      expect(names.filter((_, at) => modes[at] !== 0)).toEqual([])
      expect(stdout).not.toContain(' 755 ')
    }
  },

  'has a private place for temporary files': async ({ run }) => {
    const name = `thv-suite-${process.pid}`
    expect((await run(['write', `/tmp/${name}`])).stdout).toBe('written\n')
    await expect(readFile(join(tmpdir(), name))).rejects.toThrow()
    expect((await run(['read', `/tmp/${name}`])).stdout).toBe('ENOENT\n')
  },

  'cannot write to its own system folders': async ({ run }) => {
    for (const path of ['/etc/thv-suite', '/usr/thv-suite', '/thv-suite']) {
      expect((await run(['write', path])).stdout, path).toMatch(/^(EROFS|EACCES|EPERM|ENOENT)\n$/)
    }
  },

  'limits open files and every folder in memory, whatever its configuration says': async ({ run }) => {
    // As a package, because its root is then read-only and everything that it writes is in memory.
    const source = { kind: 'package', scheme: 'npx', name: 'fixture', version: '1.0.0' } as const
    const { stdout } = await run(['limits'], { source })
    const { files, memory } = JSON.parse(stdout)
    expect(files).toBeLessThanOrEqual(4096)
    expect(Object.keys(memory)).toContain('/tmp')
    for (const [path, size] of Object.entries(memory)) {
      expect(size, path).toBeGreaterThan(0)
      expect(size, path).toBeLessThanOrEqual(512)
    }
  },

  'keeps the memory limit it claims to keep': async ({ run, capabilities }, skip) => {
    if (capabilities.unenforced.memoryBytes) return skip('the runtime says it cannot limit memory')
    const outcome = await run(['hog', String(600 * MEBIBYTE)], { limits: { memoryBytes: 128 * MEBIBYTE } })
    expect(outcome.stdout).not.toContain('survived')
    expect(outcome.exitCode).not.toBe(0)
    const roomy = await run(['hog', String(64 * MEBIBYTE)], { limits: { memoryBytes: 512 * MEBIBYTE } })
    expect(roomy.stdout).toContain('survived')
  },

  'keeps the process limit it claims to keep': async ({ run, capabilities }, skip) => {
    if (capabilities.unenforced.pids) return skip('the runtime says it cannot limit processes')
    const roomy = await run(['crowd', '6'], { limits: { pids: 200 } })
    expect(JSON.parse(roomy.stdout)).toEqual({ alive: 6 })
    const tight = await run(['crowd', '6'], { limits: { pids: 40 } })
    expect(JSON.parse(tight.stdout).alive).toBeLessThan(6)
  },

  'keeps the processor limit it claims to keep': async ({ run, capabilities }, skip) => {
    if (capabilities.unenforced.cpus) return skip('the runtime says it cannot limit the processor')
    const { stdout } = await run(['burn', '2000'], { limits: { cpus: 0.2 } })
    expect(JSON.parse(stdout).share).toBeLessThan(0.5)
  },
}

function hostAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return all.filter((entry) => !entry.internal && entry.family === 'IPv4').map((entry) => entry.address)
}

async function listen(): Promise<{ port: number } & AsyncDisposable> {
  const server: Server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    port: address.port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
