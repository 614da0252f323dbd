import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findControlGroups } from './control-group.ts'

describe('control groups', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'thv-cgroup-'))
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  test('a group of another manager is not divided, and the reason is told', async () => {
    for (const name of ['memory', 'cpu', 'pids']) await mkdir(join(root, name, 'session'), { recursive: true })
    const found = await findControlGroups(root, '3:memory:/session\n2:cpu,cpuacct:/\n1:pids:/\n')
    expect(found.unenforced).toEqual({ memoryBytes: expect.stringMatching(/^Memory limits are not in force/) })
    await found.make({ memoryBytes: 1024, pids: 7, cpus: 1 })
    expect(await readdir(join(root, 'memory'))).toEqual(['session'])
    expect(await readdir(join(root, 'memory', 'session'))).toEqual([])
    const [group = ''] = (await readdir(join(root, 'pids'))).filter((name) => name !== 'session')
    expect(await readFile(join(root, 'pids', group, 'pids.max'), 'utf8')).toBe('7')
    expect(await readFile(join(root, 'cpu', group, 'cpu.cfs_quota_us'), 'utf8')).toBe('100000')
  })

  test('on version 2 only controllers that were handed down are used', async () => {
    await mkdir(join(root, 'ours'))
    await writeFile(join(root, 'ours', 'cgroup.subtree_control'), 'memory pids\n')
    const found = await findControlGroups(root, '0::/ours\n')
    expect(found.unenforced).toEqual({ cpus: expect.stringMatching(/^CPU/) })
    const group = await found.make({ memoryBytes: 1024, pids: 7, cpus: 1 })
    await group.add(42)
    const [made = ''] = (await readdir(join(root, 'ours'))).filter((name) => name.startsWith('toolhaven-'))
    expect(await readFile(join(root, 'ours', made, 'memory.max'), 'utf8')).toBe('1024')
    expect(await readFile(join(root, 'ours', made, 'pids.max'), 'utf8')).toBe('7')
    expect(await readFile(join(root, 'ours', made, 'cgroup.procs'), 'utf8')).toBe('42')
    await writeFile(join(root, 'ours', made, 'memory.events'), 'low 0\noom_kill 2\n')
    expect(await group.wasOutOfMemory()).toBe(true)
  })

  test.for([true, false])('on version 1 a memory limit leaves no swap, if swap is counted: %s', async (isCounted) => {
    await mkdir(join(root, 'memory'))
    if (isCounted) await writeFile(join(root, 'memory', 'memory.memsw.limit_in_bytes'), '9223372036854771712\n')
    await (await findControlGroups(root, '1:memory:/\n')).make({ memoryBytes: 1024 })
    const [group = ''] = (await readdir(join(root, 'memory'))).filter((name) => name.startsWith('toolhaven-'))
    const limit = (file: string) => readFile(join(root, 'memory', group, file), 'utf8').catch(() => 'none')
    expect(await limit('memory.limit_in_bytes')).toBe('1024')
    expect(await limit('memory.memsw.limit_in_bytes')).toBe(isCounted ? '1024' : 'none')
  })

  test('without limits no group is made', async () => {
    await mkdir(join(root, 'pids'))
    const group = await (await findControlGroups(root, '1:pids:/\n')).make({})
    await group.add(1)
    await group.remove()
    expect(await readdir(join(root, 'pids'))).toEqual([])
  })

  test('what a killed daemon left behind is removed, and nothing else', async () => {
    // Larger than any process number that Linux assigns.
    const lost = 'toolhaven-9999999-0123456789ab'
    const others = [`toolhaven-${process.ppid}-0123456789ab`, 'toolhaven-9999999', 'docker']
    for (const name of [lost, ...others]) await mkdir(join(root, 'pids', name), { recursive: true })
    await findControlGroups(root, '1:pids:/\n')
    expect((await readdir(join(root, 'pids'))).toSorted()).toEqual(others.toSorted())
  })
})
