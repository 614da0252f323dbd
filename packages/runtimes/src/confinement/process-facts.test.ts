import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engineFacts } from '../engine/container-confinement.ts'
import { capabilityNames } from './capability-names.ts'
import { processFacts, serverProcess } from './process-facts.ts'

let base = ''
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'thv-facts-'))
})
afterEach(() => rm(base, { recursive: true, force: true }))

const places = () => ({ proc: join(base, 'proc'), cgroups: join(base, 'cgroup') })
async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(base, path)), { recursive: true })
  await writeFile(join(base, path), text)
}
async function machine(net = 'net:[2]'): Promise<void> {
  await put('proc/self/mountinfo', '20 1 8:1 / / rw,relatime - ext4 /dev/sda rw\n')
  await put('proc/7/status', 'Name:\tnode\nUid:\t0\t0\t0\t0\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n')
  await put('proc/7/uid_map', '     65534          0          1\n')
  await put('proc/7/mountinfo', '90 80 0:50 / / ro,nosuid - tmpfs tmpfs rw\n')
  await put('proc/7/net/dev', 'Inter-|   Receive\n face |bytes\n    lo: 0 0\n')
  await put('proc/7/cgroup', '0::/thv/a\n')
  for (const [pid, target] of [
    ['self', 'net:[1]'],
    ['7', net],
  ] as const) {
    await mkdir(join(base, 'proc', pid, 'ns'), { recursive: true })
    await symlink(target, join(base, 'proc', pid, 'ns', 'net'))
  }
}

describe('what the kernel says', () => {
  it('of a well confined process', async () => {
    await machine()
    await put('cgroup/thv/a/memory.max', '1073741824\n')
    await put('cgroup/thv/a/pids.max', '512\n')
    await put('cgroup/thv/a/cpu.max', '50000 100000\n')
    expect(await processFacts(7, places())).toEqual({
      ...{ seen_by: 'kernel', user: '65534', outside_user: '0', capabilities: [], no_new_privileges: true },
      ...{ system_call_filter: true, own_files: true, read_only_root: true, network: 'none' },
      ...{ memory_bytes: 2 ** 30, pids: 512, cpus: 0.5 },
    })
  })

  it('of one that is limited without control groups', async () => {
    await machine()
    const limits = 'Max processes             256                  512                  processes\n'
    await put('proc/7/limits', `${limits}Max open files            1024                 4096                 files\n`)
    await put('proc/7/status', 'Uid:\t1000\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n')
    await symlink('user:[1]', join(base, 'proc', 'self', 'ns', 'user'))
    await symlink('user:[2]', join(base, 'proc', '7', 'ns', 'user'))
    expect(await processFacts(7, places())).toMatchObject({ pids: 512, open_files: 4096 })
    // The kernel does not keep it for root.
    await put('proc/7/status', 'Uid:\t0\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n')
    const ofRoot = await processFacts(7, places())
    expect(ofRoot).toMatchObject({ open_files: 4096 })
    expect(ofRoot).not.toHaveProperty('pids')
  })

  it('of one that nothing confines', async () => {
    await machine('net:[1]')
    await put('proc/7/status', 'Uid:\t1000\nCapEff:\t0000000000200000\nNoNewPrivs:\t0\nSeccomp:\t0\n')
    await put('proc/7/uid_map', '0 0 4294967295\n')
    await put('proc/7/mountinfo', '20 1 8:1 / / rw,relatime - ext4 /dev/sda rw\n')
    await put('cgroup/thv/a/memory.max', 'max\n')
    await put('cgroup/thv/a/pids.max', 'max\n')
    await put('cgroup/thv/a/cpu.max', 'max 100000\n')
    expect(await processFacts(7, places())).toEqual({
      ...{ seen_by: 'kernel', user: '1000', capabilities: ['SYS_ADMIN'], no_new_privileges: false },
      ...{ system_call_filter: false, own_files: false, read_only_root: false, network: 'host' },
    })
  })

  it('with the control groups of old', async () => {
    await machine()
    await put('proc/7/net/dev', '    lo: 0\n  eth0: 0\n')
    await put('proc/7/cgroup', '5:memory:/m\n4:cpu,cpuacct:/c\n3:pids:/p\n0::/\n')
    await put('cgroup/memory/m/memory.limit_in_bytes', '9223372036854771712\n')
    await put('cgroup/pids/p/pids.max', '64\n')
    await put('cgroup/cpu/c/cpu.cfs_quota_us', '-1\n')
    const facts = await processFacts(7, places())
    expect(facts).toMatchObject({ network: 'own', pids: 64 })
    expect(facts).not.toHaveProperty('memory_bytes')
    expect(facts).not.toHaveProperty('cpus')
  })

  it('nothing, of a process that is gone', async () => {
    expect(await processFacts(8, places())).toBeUndefined()
  })

  it('of a real child on this machine, which shares all with us', async (context) => {
    if (process.platform !== 'linux') return context.skip('needs the /proc of Linux')
    const child = spawn('sleep', ['60'])
    try {
      const facts = await processFacts(child.pid ?? 0)
      expect(facts).toMatchObject({ user: String(process.getuid?.()), own_files: false, network: 'host' })
      await put('proc/7/task/7/children', '12 13 ')
      expect(await serverProcess(7, places())).toBe(12)
      expect(await serverProcess(9, places())).toBe(9)
    } finally {
      child.kill()
    }
  })
})

describe('what the engine says', () => {
  const inspected = (host: Parameters<typeof engineFacts>[0]['HostConfig'], user = '1000') => ({
    Id: 'a',
    State: {},
    Config: { User: user },
    HostConfig: host,
  })
  it('of a hardened container', () => {
    const host = {
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Memory: 5,
      PidsLimit: 6,
      NanoCpus: 5e8,
    }
    expect(engineFacts(inspected(host))).toEqual({
      ...{ seen_by: 'engine', user: '1000', capabilities: [], no_new_privileges: true, system_call_filter: true },
      ...{ own_files: true, read_only_root: true, network: 'none', memory_bytes: 5, pids: 6, cpus: 0.5 },
    })
  })
  it('of one that somebody opened', () => {
    const host = { CapAdd: ['NET_ADMIN'], SecurityOpt: ['seccomp=unconfined'], NetworkMode: 'host', PidsLimit: -1 }
    expect(engineFacts(inspected(host, ''))).toEqual({
      ...{
        seen_by: 'engine',
        user: '0',
        capabilities: ['the engine’s default', 'NET_ADMIN'],
        no_new_privileges: false,
      },
      ...{ system_call_filter: false, own_files: true, read_only_root: false, network: 'host' },
    })
  })
})

it('capabilities are named by their bits', () => {
  expect(capabilityNames('0000000000000000')).toEqual([])
  expect(capabilityNames('0000000000002401')).toEqual(['CHOWN', 'NET_BIND_SERVICE', 'NET_RAW'])
})
