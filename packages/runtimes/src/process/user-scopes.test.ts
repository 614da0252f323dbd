import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '@toolhaven/testing/testbed/until'
import { runProgram } from '../package-index/run-program.ts'
import { findUserScopes } from './user-scopes.ts'

const signal = () => AbortSignal.timeout(10_000)

/** The group of this process, because the fake systemd does not move it. */
const ownGroup = async () => /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1] ?? '/'

describe('scopes of the user’s systemd', () => {
  let root: string
  let group: string
  let env: Record<string, string>
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'thv-scopes-'))
    group = join(root, 'groups', await ownGroup())
    await mkdir(group, { recursive: true })
    env = { PATH: `${root}:/usr/bin:/bin`, XDG_RUNTIME_DIR: join(root, 'run') }
    await writeFile(join(root, 'groups', 'cgroup.controllers'), 'cpu memory pids\n')
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  /** Writes the requested limits into the files of a control group, as far as it has controllers. */
  async function fakeSystemd(controllers: readonly string[], exitCode = 0): Promise<void> {
    const has = (name: string, line: string) => (controllers.includes(name) ? line : ':')
    const script = `#!/bin/sh
test ${exitCode} = 0 || exit ${exitCode}
test -n "$XDG_RUNTIME_DIR" || exit 1
echo "$@" > ${root}/asked
while [ "$1" != -- ]; do
  case "$1" in
    MemoryMax=*) ${has('memory', `echo "\${1#*=}" > ${group}/memory.max`)};;
    TasksMax=*) ${has('pids', `echo "\${1#*=}" > ${group}/pids.max`)};;
    CPUQuota=*%) ${has('cpu', `q=\${1#*=}; echo "\${q%\\%}000 100000" > ${group}/cpu.max`)};;
  esac
  shift
done
shift
exec "$@"
`
    for (const name of ['memory', 'cpu', 'pids']) await writeFile(join(group, `${name}.max`), 'max\n')
    await writeFile(join(root, 'systemd-run'), script)
    await chmod(join(root, 'systemd-run'), 0o755)
  }
  const find = () => findUserScopes({ env, root: join(root, 'groups') }, signal())

  test('are used for the limits that are seen to be in force', async () => {
    await fakeSystemd(['memory', 'pids'])
    const scopes = await find()
    expect(scopes?.unenforced).toEqual({ cpus: expect.stringMatching(/^CPU limits are not in force/) })
    const { launcher } = (await scopes?.make({ memoryBytes: 1 << 26, pids: 40 })) ?? {}
    const [program = '', ...words] = launcher?.words ?? []
    const { stdout } = await runProgram(program, [...words, '/bin/echo', 'hello'], { env, cwd: '/' }, signal())
    expect(stdout).toBe('hello\n')
    expect(await readFile(join(root, 'asked'), 'utf8')).toMatch(
      /^--user --scope .*-p MemoryMax=67108864 -p MemorySwapMax=0 -p TasksMax=40 -- /,
    )
    expect(await readFile(join(group, 'memory.max'), 'utf8')).toBe('67108864\n')
  })

  test('are not used where systemd takes limits and sets none', async () => {
    await fakeSystemd([])
    expect(await find()).toBeUndefined()
  })

  test('are not used where no systemd answers, nor without control groups of version 2', async () => {
    await fakeSystemd(['memory', 'pids', 'cpu'], 1)
    expect(await find()).toBeUndefined()
    await fakeSystemd(['memory', 'pids', 'cpu'])
    expect((await find())?.unenforced).toEqual({})
    await rm(join(root, 'groups', 'cgroup.controllers'))
    expect(await find()).toBeUndefined()
  })

  test('remember that memory ran out after systemd has removed them', async () => {
    await fakeSystemd(['memory'])
    const scope = await (await find())?.make({ memoryBytes: 1 << 26 })
    await writeFile(join(group, 'memory.events'), 'oom_kill 0\n')
    await scope?.add(process.pid)
    expect(await scope?.wasOutOfMemory()).toBe(false)
    await writeFile(join(group, 'memory.events'), 'oom_kill 1\n')
    await until('the event to be noted', async () => (await scope?.wasOutOfMemory()) === true)
    await rm(group, { recursive: true })
    expect(await scope?.wasOutOfMemory()).toBe(true)
    await scope?.remove()
  })
})
