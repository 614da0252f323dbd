import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createControlGroup, findControlGroups } from './control-group.ts'

describe('control groups', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'thv-cgroup-'))
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  test('a group of another manager is not divided, and the reason is told', async () => {
    for (const name of ['memory', 'cpu', 'pids']) await mkdir(join(root, name, 'session'), { recursive: true })
    const found = await findControlGroups(root, '3:memory:/session\n2:cpu,cpuacct:/\n1:pids:/\n')
    expect(found.memory).toBeUndefined()
    expect(found.cpu).toEqual({ version: 1, parent: join(root, 'cpu') })
    expect(found.pids).toEqual({ version: 1, parent: join(root, 'pids') })
    expect(found.reasons).toEqual([expect.stringMatching(/^Memory limits are not in force/)])
  })

  test('on version 2 only controllers that were handed down are used', async () => {
    await mkdir(join(root, 'ours'))
    await writeFile(join(root, 'ours', 'cgroup.subtree_control'), 'memory pids\n')
    const found = await findControlGroups(root, '0::/ours\n')
    expect(found).toMatchObject({ memory: { version: 2 }, pids: { version: 2 } })
    expect(found.reasons).toEqual([expect.stringMatching(/^CPU/)])
    const group = await createControlGroup(found, { memoryBytes: 1024, pids: 7, cpus: 1 })
    await group.add(42)
    const [made = ''] = (await readdir(join(root, 'ours'))).filter((name) => name.startsWith('toolhaven-'))
    expect(await readFile(join(root, 'ours', made, 'memory.max'), 'utf8')).toBe('1024')
    expect(await readFile(join(root, 'ours', made, 'pids.max'), 'utf8')).toBe('7')
    expect(await readFile(join(root, 'ours', made, 'cgroup.procs'), 'utf8')).toBe('42')
    await writeFile(join(root, 'ours', made, 'memory.events'), 'low 0\noom_kill 2\n')
    expect(await group.wasOutOfMemory()).toBe(true)
  })

  test('without limits no group is made', async () => {
    const group = await createControlGroup({ pids: { version: 1, parent: join(root, 'absent') }, reasons: [] }, {})
    await group.add(1)
    await group.remove()
    await expect(readFile(join(root, 'absent'))).rejects.toThrow()
  })
})
