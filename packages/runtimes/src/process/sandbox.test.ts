import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@toolhaven/testing/testbed/until'
import { collectOutput } from '../package-index/run-program.ts'
import { findProgram } from '../package-index/find-program.ts'
import { describeSandbox } from './describe-sandbox.ts'
import { findProcessLimits, withProcessLimits } from './process-limits.ts'
import { SANDBOX_NODE } from './sandbox-plan.ts'
import type { SandboxPlan } from './sandbox-plan.ts'
import { detectSandbox } from './sandbox.ts'
import type { Sandbox } from './sandbox.ts'

const signal = () => AbortSignal.timeout(30_000)
const isRoot = process.getuid?.() === 0

let dataDir: string
let options: Parameters<typeof detectSandbox>[0]
let bwrap: string | undefined

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'thv-sandbox-'))
  const { platform, arch, execPath: nodePath } = process
  options = { dataDir, nodePath, env: { PATH: process.env['PATH'] }, allowUnsandboxed: false, platform, arch, isRoot }
  bwrap = await findProgram('bwrap', process.env['PATH'])
  if (bwrap === undefined) process.stderr.write('skipped: bubblewrap sandbox tests: bubblewrap is not installed\n')
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

async function bubblewrap(): Promise<Sandbox> {
  const sandbox = await detectSandbox(options, signal())
  if ('reason' in sandbox) throw new Error(sandbox.reason)
  expect(sandbox.kind).toBe('bubblewrap')
  return sandbox
}

async function run(sandbox: Sandbox, program: string, args: string[], change: Partial<SandboxPlan> = {}) {
  const node = { hostPath: process.execPath, sandboxPath: SANDBOX_NODE, readOnly: true }
  const plan: SandboxPlan = {
    program,
    args,
    env: { PATH: '/usr/bin:/bin' },
    workDir: '/',
    binds: [node],
    network: 'none',
    ...change,
  }
  const { child, kill } = await sandbox.spawn(plan, { stdin: false }, signal())
  return await collectOutput(child, kill, signal())
}

describe('the bubblewrap sandbox', () => {
  test('hands no descriptor of the daemon to the server, inherited ones included', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    // A daemon that was itself started with an open descriptor, as a careless supervisor would do.
    const script = fileURLToPath(new URL('list-descriptors.fixture.ts', import.meta.url))
    await writeFile(join(dataDir, 'secret'), 'secret')
    const secret = openSync(join(dataDir, 'secret'), 'r')
    const stdio: ('ignore' | 'pipe' | number)[] = [
      'ignore',
      'pipe',
      'pipe',
      ...Array<'ignore'>(38).fill('ignore'),
      secret,
    ]
    const child = spawn(process.execPath, [script, dataDir], { env: { PATH: process.env['PATH'] }, stdio })
    closeSync(secret)
    const { stdout, stderr } = await collectOutput(child, () => child.kill(), signal())
    expect(stderr).toBe('')
    const open: Record<string, string> = JSON.parse(stdout)
    expect(Object.keys(open)).toContain('41')
    const others = Object.entries(open).filter(([number, target]) => Number(number) > 2 && target !== '/dev/null')
    expect(others).toEqual([])
  })

  test.for<Partial<SandboxPlan>>([
    { env: { A: 'x\0--ro-bind\0/\0/tmp/leak' } },
    { env: { 'A\0B': 'x' } },
    { args: ['x\0y'] },
    { binds: [{ hostPath: '/usr', sandboxPath: '/data\0--bind\0/\0/tmp/leak', readOnly: true }] },
  ])('is not started with a NUL: %j', async (change, context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const started = run(await bubblewrap(), '/usr/bin/env', [], change)
    await expect(started).rejects.toMatchObject({ code: 'invalid' })
    await expect(started).rejects.toThrow(/contains a NUL character\. Remove it\.$/)
  })

  test('ends when its start is aborted, at whatever moment, and leaves nothing running', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const sandbox = await bubblewrap()
    // A time that no other program of this machine sleeps for.
    const time = `86400.${process.pid}`
    const plan = { program: '/usr/bin/sleep', args: [time], env: {}, workDir: '/', binds: [], network: 'none' } as const
    let first = 0
    const abort = new AbortController()
    const beforeStart = async (pid: number) => {
      first = pid
      abort.abort(new Error('given up'))
      abort.signal.throwIfAborted()
    }
    await expect(sandbox.spawn(plan, { stdin: false, beforeStart }, abort.signal)).rejects.toThrow('given up')
    await until('the sandbox to be gone', () => !isAlive(first))
    const early = new AbortController()
    const starting = sandbox.spawn(plan, { stdin: false }, early.signal)
    early.abort(new Error('given up'))
    await expect(starting).rejects.toThrow('given up')
    await expect(sandbox.spawn(plan, { stdin: false }, early.signal)).rejects.toThrow('given up')
    await until('no sandbox to be left', () => !commandLines().some((line) => line.includes(time)))
  })

  test('shows the environment, which may hold secrets, on no command line', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const sandbox = await bubblewrap()
    const plan = {
      program: '/usr/bin/env',
      args: [],
      env: { CANARY: 'canary-5b1f' },
      workDir: '/',
      binds: [],
      network: 'none',
    } as const
    const { child, kill } = await sandbox.spawn(plan, { stdin: false }, signal())
    expect(child.spawnargs.join(' ')).not.toContain('canary-5b1f')
    expect((await collectOutput(child, kill, signal())).stdout).toContain('CANARY=canary-5b1f')
  })

  test('holds nothing of the home, other users or engine sockets', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const paths = ['/root', '/etc/shadow', '/etc/ssl/private', '/var/run/docker.sock', '/sys', '/var/lib', dataDir]
    const { stdout } = await run(await bubblewrap(), SANDBOX_NODE, [
      '-p',
      `${JSON.stringify(paths)}.filter((p) => fs.existsSync(p)).join()`,
    ])
    expect(stdout.trim()).toBe('')
  })

  test('leaves no kernel setting writable, even to a daemon that is root', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    // /dev/null is mounted over some files. access(2) only asks: nothing is written even where the sandbox fails.
    const look = `
      const bad = []
      const walk = (path, depth) => {
        for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
          const full = path + '/' + entry.name
          if (entry.isSymbolicLink() || /^\\/proc\\/\\d/.test(full)) continue
          try { if (entry.isDirectory()) { if (depth > 0) walk(full, depth - 1) } else if (!fs.statSync(full).isCharacterDevice()) { fs.accessSync(full, fs.constants.W_OK); bad.push(full) } } catch {}
        }
      }
      walk('/proc', 4)
      console.log(JSON.stringify(bad))`
    const { stdout } = await run(await bubblewrap(), SANDBOX_NODE, ['-e', look])
    expect(JSON.parse(stdout)).toEqual([])
  })

  test('refuses socket families that no network namespace confines, and further namespaces', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const python = await findProgram('python3', '/usr/bin')
    if (python === undefined) return context.skip('the probe needs /usr/bin/python3')
    const probe = `
import socket, ctypes, os, json
def attempt(family, kind=socket.SOCK_STREAM, protocol=0):
    try:
        socket.socket(family, kind, protocol).close(); return 'made'
    except OSError as error: return error.errno
libc = ctypes.CDLL(None, use_errno=True)
def call(function, *args):
    return 'done' if function(*args) == 0 else ctypes.get_errno()
print(json.dumps({'vsock': attempt(40), 'inet': attempt(2), 'inet6': attempt(10), 'unix': attempt(1), 'alg': attempt(38, 5),
  'netlink': attempt(16, 3), 'audit': attempt(16, 3, 9), 'unshare': call(libc.unshare, 0x10000000)}))`
    const sandboxed = JSON.parse((await run(await bubblewrap(), python, ['-c', probe])).stdout)
    expect(sandboxed).toMatchObject({
      vsock: 97,
      alg: 97,
      inet: 'made',
      unix: 'made',
      netlink: 'made',
      audit: 1,
      unshare: 1,
    })
    const child = spawn(python, ['-c', probe], { stdio: ['ignore', 'pipe', 'pipe'] })
    const free = JSON.parse((await collectOutput(child, () => child.kill(), signal())).stdout)
    // Where the kernel has no such family at all, the refusal above would prove nothing.
    if (free.vsock !== 'made') return context.skip('this kernel makes no AF_VSOCK socket outside either')
    expect(free.vsock).toBe('made')
  })

  test('makes no file that runs as its user, by any system call', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const python = await findProgram('python3', '/usr/bin')
    if (python === undefined) return context.skip('the probe needs /usr/bin/python3')
    const probe = `
import ctypes, os, platform, json
call = ctypes.CDLL(None, use_errno=True).syscall
here = -100
calls = {'mknodat': (259, 33), 'openat': (257, 56), 'fchmod': (91, 52), 'fchmodat': (268, 53), 'fchmodat2': (452, 452), 'openat2': (437, 437)}
numbers = {name: both[platform.machine() == 'aarch64'] for name, both in calls.items()}
os.chdir('/tmp')
def attempt(name, *arguments):
    ctypes.set_errno(0)
    return 'done' if call(numbers[name], *arguments) >= 0 else ctypes.get_errno()
open('file', 'w').close()
fd = os.open('file', os.O_RDONLY)
how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0)
CREATE, TEMPORARY = os.O_CREAT | os.O_WRONLY, os.O_TMPFILE | os.O_WRONLY
said = {}
for mode in (0o755, 0o4755, 0o2755):
    m, n = ctypes.c_long(mode), oct(mode)[2:]
    said[n] = [attempt('mknodat', here, b'node' + n.encode(), m, 0), attempt('openat', here, b'new' + n.encode(), CREATE, m),
      attempt('openat', here, b'.', TEMPORARY, m), attempt('fchmod', fd, m), attempt('fchmodat', here, b'file', m, 0), attempt('fchmodat2', here, b'file', m, 0)]
said['without a mode'] = attempt('openat', here, b'file', os.O_RDONLY, ctypes.c_long(0o6777))
said['openat2'] = attempt('openat2', here, b'new2', how, 24)
said['left'] = [name for name in os.listdir('.') if os.stat(name).st_mode & 0o6000]
print(json.dumps(said))`
    const { stdout } = await run(await bubblewrap(), python, ['-c', probe])
    const said = JSON.parse(stdout)
    expect(said).toMatchObject({ 'without a mode': 'done', openat2: 38, left: [] })
    expect(said['755'].slice(0, 5)).toEqual(Array(5).fill('done'))
    expect(said['4755']).toEqual(Array(6).fill(1))
    expect(said['2755']).toEqual(Array(6).fill(1))
  })

  test('ends with the daemon, even one that is killed', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const script = fileURLToPath(new URL('leave-running.fixture.ts', import.meta.url))
    const daemon = spawn(process.execPath, [script, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'] },
    })
    const init = Number(await new Promise((resolve) => daemon.stdout.once('data', (chunk) => resolve(String(chunk)))))
    expect(isAlive(init)).toBe(true)
    daemon.kill('SIGKILL')
    await until('the sandbox is gone', () => !isAlive(init) || undefined)
  })

  test('cannot fill the root and has a home and temporary files of its own', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const code = `['/x','/etc/x','/opt/x','/home/user/x','/tmp/x'].map((p) => { try { fs.writeFileSync(p, 'x'); return 'ok' } catch (e) { return e.code } }).join()`
    const { stdout } = await run(await bubblewrap(), SANDBOX_NODE, ['-p', code])
    expect(stdout.trim()).toBe('EROFS,EROFS,EROFS,ok,ok')
  })

  test('holds little in memory, whatever a server writes', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const code = `
      const open = fs.readFileSync('/proc/mounts', 'utf8').split('\\n').map((line) => line.split(' '))
        .filter(([, , type, options]) => type === 'tmpfs' && options.split(',').includes('rw')).map(([, path]) => path)
      console.log(JSON.stringify(Object.fromEntries(open.map((path) => [path, fs.statfsSync(path).blocks * fs.statfsSync(path).bsize >> 20]))))`
    const { stdout } = await run(await bubblewrap(), SANDBOX_NODE, ['-e', code])
    expect(JSON.parse(stdout)).toEqual({ '/tmp': 512, '/run': 512, '/home': 512, '/dev/shm': 256 })
  })

  test('limits processes and open files where the kernel counts those of the sandbox by themselves', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const sandbox = await bubblewrap()
    const limits = await findProcessLimits(sandbox, process.env['PATH'], signal())
    if (limits === undefined) return context.skip('prlimit is not installed')
    // The kernel applies no such limit to root, and the result must not claim it.
    expect(limits.limitsProcesses).toBe(!isRoot)
    const code = `
      const [, processes] = fs.readFileSync('/proc/self/limits', 'utf8').match(/Max processes +\\S+ +(\\S+)/)
      let files = 0
      try { for (; files < 6000; files++) fs.openSync('/dev/null') } catch {}
      files + ' ' + processes`
    const plan: SandboxPlan = {
      ...{ program: SANDBOX_NODE, args: ['-p', code], env: {}, workDir: '/', network: 'none' },
      binds: [{ hostPath: process.execPath, sandboxPath: SANDBOX_NODE, readOnly: true }],
    }
    const { child, kill } = await sandbox.spawn(withProcessLimits(plan, limits, 99), { stdin: false }, signal())
    const [files, processes] = (await collectOutput(child, kill, signal())).stdout.trim().split(' ')
    expect(Number(files)).toBeGreaterThan(1000)
    expect(Number(files)).toBeLessThan(4096)
    expect(isRoot || processes === '99').toBe(true)
  })

  test('says why it could not be set up', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const binds = [{ hostPath: join(dataDir, 'absent'), sandboxPath: '/absent', readOnly: true }]
    // Early faults are errors of the start. Later ones are the last words of an exit.
    const said = await run(await bubblewrap(), '/usr/bin/env', [], { binds }).then((result) => result.stderr, String)
    expect(said).toContain(join(dataDir, 'absent'))
  })

  test.for([
    ['noticed by its limits', (pid: number) => process.kill(pid, 0)],
    ['noticed by nobody', () => {}],
  ] as const)('says why it ended while it was put under limits, %s', async ([, look], context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const binds = [{ hostPath: join(dataDir, 'absent'), sandboxPath: '/absent', readOnly: true }]
    const plan: SandboxPlan = { program: '/usr/bin/true', args: [], env: {}, workDir: '/', binds, network: 'none' }
    const beforeStart = async (pid: number) => {
      await until('the sandbox to end', async () => !isAlive(pid) && !existsSync(`/proc/${pid}`))
      look(pid)
    }
    const started = (await bubblewrap()).spawn(plan, { stdin: false, beforeStart }, signal())
    await expect(started).rejects.toThrow(
      `The sandbox could not be set up (bwrap: Can't find source path ${binds[0]?.hostPath}`,
    )
  })
})

/** A dead process whose new parent has not collected it yet is not alive. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      } catch {
        // It ended while it was inspected.
        return ''
      }
    })
}

describe('choosing a sandbox', () => {
  /** A search path that has this program alone. */
  async function folderWith(program: string): Promise<string> {
    const only = join(dataDir, 'only-unshare')
    await mkdir(only, { recursive: true })
    await symlink(program, join(only, 'unshare')).catch(() => undefined)
    return only
  }

  test('takes the strongest sandbox of bubblewrap, also where a busy machine failed it at first', async (context) => {
    if (bwrap === undefined) return context.skip('bubblewrap is not installed')
    const folder = join(dataDir, 'busy')
    await mkdir(folder)
    const busy = `#!/bin/sh\n[ -e ${folder}/asked ] || { : > ${folder}/asked; echo busy >&2; exit 1; }\nexec ${bwrap} "$@"\n`
    await writeFile(join(folder, 'bwrap'), busy, { mode: 0o755 })
    const found = await detectSandbox({ ...options, env: { PATH: folder } }, signal())
    expect(existsSync(join(folder, 'asked'))).toBe(true)
    expect(found).toMatchObject({ description: (await bubblewrap()).description, notes: (await bubblewrap()).notes })
  })

  test('refuses a program by the name of bubblewrap that confines nothing', async () => {
    const folder = join(dataDir, 'impostor')
    await mkdir(folder)
    const impostor = `#!${process.execPath}
const { readFileSync, writeFileSync, closeSync } = require('node:fs')
const { spawnSync } = require('node:child_process')
const options = readFileSync(3, 'utf8').split('\\0')
writeFileSync(Number(options[options.indexOf('--info-fd') + 1]), JSON.stringify({ 'child-pid': process.pid }))
closeSync(Number(options[options.indexOf('--info-fd') + 1]))
readFileSync(Number(options[options.indexOf('--block-fd') + 1]))
spawnSync(process.execPath, process.argv.slice(6), { stdio: 'inherit' })
`
    await writeFile(join(folder, 'bwrap'), impostor, { mode: 0o755 })
    expect(await detectSandbox({ ...options, env: { PATH: folder } }, signal())).toEqual({
      reason: expect.stringContaining('makes no sandbox'),
    })
  })

  test('refuses namespaces alone, where servers could read all files of the user', async (context) => {
    const unshare = await findProgram('unshare', process.env['PATH'])
    if (unshare === undefined) return context.skip('unshare is not installed')
    const only = await folderWith(unshare)
    expect(await detectSandbox({ ...options, env: { PATH: only } }, signal())).toEqual({
      reason: expect.stringContaining('apt install bubblewrap'),
    })
  })

  test('uses namespaces alone where the user allows it, and says that it is weaker', async (context) => {
    const unshare = await findProgram('unshare', process.env['PATH'])
    if (unshare === undefined) return context.skip('unshare is not installed')
    const only = await folderWith(unshare)
    const allowed = { ...options, allowUnsandboxed: true, env: { PATH: only } }
    const found = await describeSandbox(allowed, signal())
    expect(found).toMatchObject({ kind: 'unshare', strength: 'weak', text: expect.stringContaining('weaker') })
    const sandbox = await detectSandbox(allowed, signal())
    if ('reason' in sandbox) throw new Error(sandbox.reason)
    const { stdout } = await run(
      sandbox,
      process.execPath,
      ['-p', 'process.pid + " " + Object.keys(os.networkInterfaces()).length'],
      { env: {} },
    )
    expect(stdout.trim()).toBe('1 0')
  })

  test('refuses with neither, naming what to install, unless it is told to go without', async () => {
    const bare = { ...options, env: { PATH: join(dataDir, 'nothing-here') } }
    expect(await describeSandbox(bare, signal())).toMatchObject({
      kind: 'missing',
      strength: 'none',
      text: expect.stringContaining('apt install bubblewrap'),
    })
    expect(await describeSandbox({ ...bare, allowUnsandboxed: true }, signal())).toMatchObject({
      kind: 'none',
      strength: 'none',
    })
  })
})
