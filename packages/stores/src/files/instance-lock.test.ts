import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadInstanceId } from './instance-id.ts'
import { acquireInstanceLock } from './instance-lock.ts'
import { readLock } from './lock-file.ts'
import { processStart } from './process-identity.ts'

async function tempFolder() {
  const dir = await mkdtemp(join(tmpdir(), 'thv-lock-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

/** A real process that tries for the lock when told to, says how it went, and keeps what it got until killed. */
async function contender(stateDir: string) {
  const module = pathToFileURL(join(import.meta.dirname, 'instance-lock.ts')).href
  const program = `
    import { once } from 'node:events'
    const { acquireInstanceLock } = await import(${JSON.stringify(module)})
    console.log('ready')
    await once(process.stdin, 'data')
    try {
      await acquireInstanceLock({ stateDir: ${JSON.stringify(stateDir)}, socketPath: '/run/x.sock' })
      console.log('won')
    } catch (error) {
      console.log(error.code + ' ' + error.message)
    }
    setInterval(() => {}, 1000)
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => String((await lines.next()).value)
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  expect(await next()).toBe('ready')
  return {
    pid: child.pid,
    kill,
    go: async () => {
      child.stdin.write('go\n')
      return next()
    },
  }
}

describe('the instance lock', () => {
  it('is held by one owner, who is named, until it is released', async () => {
    const stateDir = await tempFolder()
    const lock = await acquireInstanceLock({ stateDir, socketPath: '/run/a.sock' })
    expect(await readLock(stateDir)).toMatchObject({
      alive: true,
      holder: { pid: process.pid, socketPath: '/run/a.sock' },
    })
    expect((await stat(join(stateDir, 'lock'))).mode & 0o777).toBe(0o600)
    await expect(acquireInstanceLock({ stateDir, socketPath: 'b' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`process ${process.pid}`),
    })
    await lock.release()
    await lock.release()
    expect(await readLock(stateDir)).toBeUndefined()
    await using again = await acquireInstanceLock({ stateDir, socketPath: 'b' })
    expect(again.token).not.toBe(lock.token)
    await lock.release()
    expect(await readLock(stateDir)).toBeDefined()
  })

  it('is taken over from a killed process and leaves no other file', async () => {
    const stateDir = await tempFolder()
    const old = await contender(stateDir)
    expect(await old.go()).toBe('won')
    await expect(acquireInstanceLock({ stateDir, socketPath: 'b' })).rejects.toMatchObject({ code: 'conflict' })
    await old.kill()
    expect(await readLock(stateDir)).toMatchObject({ alive: false })
    await using _lock = await acquireInstanceLock({ stateDir, socketPath: 'b' })
    expect(await readdir(stateDir)).toEqual(['lock'])
  })

  it('is taken over when its process id now belongs to another process', async () => {
    const stateDir = await tempFolder()
    const lock = await acquireInstanceLock({ stateDir, socketPath: 'a' })
    const held = JSON.parse(await readFile(join(stateDir, 'lock'), 'utf8'))
    await writeFile(join(stateDir, 'lock'), JSON.stringify({ ...held, started: 'earlier' }))
    await using next = await acquireInstanceLock({ stateDir, socketPath: 'b' })
    expect(next.token).not.toBe(lock.token)
  })

  it.each(['', 'not json', '{"pid":1}'])('is taken over when it holds %j', async (text) => {
    const stateDir = await tempFolder()
    await writeFile(join(stateDir, 'lock'), text, { mode: 0o600 })
    await using _lock = await acquireInstanceLock({ stateDir, socketPath: 'b' })
    expect(await readLock(stateDir)).toMatchObject({ alive: true })
  })

  it('stays held while its file is damaged or an old one is back, until another process takes it', async () => {
    const stateDir = await tempFolder()
    const path = join(stateDir, 'lock')
    const lock = await acquireInstanceLock({ stateDir, socketPath: 'a' })
    const own = await readFile(path, 'utf8')
    await writeFile(path, own.slice(0, 20))
    expect(await lock.state()).toBe('held')
    await writeFile(path, JSON.stringify({ ...JSON.parse(own), token: '0'.repeat(32), started: 'earlier' }))
    expect(await lock.state()).toBe('held')
    const other = await contender(stateDir)
    expect(await other.go()).toBe('won')
    expect(await lock.state()).toBe('taken')
    await rm(stateDir, { recursive: true })
    expect(await lock.state()).toBe('gone')
  })

  it('does not belong to the owner of the folder that this one is a copy of', async () => {
    const [original, copy] = [await tempFolder(), join(await tempFolder(), 'copy')]
    await using _held = await acquireInstanceLock({ stateDir: original, socketPath: 'a' })
    await cp(original, copy, { recursive: true, preserveTimestamps: true })
    await chmod(copy, 0o700)
    expect(await readLock(copy)).toMatchObject({ alive: false })
    await using _lock = await acquireInstanceLock({ stateDir: copy, socketPath: 'b' })
    expect(await readLock(original)).toMatchObject({ alive: true, holder: { socketPath: 'a' } })
  })

  it('believes the socket, not the process id, of an owner in another PID namespace', async () => {
    const stateDir = await tempFolder()
    const socketPath = join(stateDir, 's.sock')
    await (await acquireInstanceLock({ stateDir, socketPath })).release()
    const foreign = {
      format: 1,
      pid: process.pid,
      started: await processStart(process.pid),
      pidNamespace: 'pid:[1]',
      socketPath,
      token: 'a'.repeat(32),
    }
    await writeFile(join(stateDir, 'lock'), JSON.stringify(foreign), { mode: 0o600 })
    const server = createServer().listen(socketPath)
    await once(server, 'listening')
    await expect(acquireInstanceLock({ stateDir, socketPath })).rejects.toMatchObject({ code: 'conflict' })
    server.close()
    await once(server, 'close')
    await using _lock = await acquireInstanceLock({ stateDir, socketPath })
  })

  it('goes to exactly one of several processes that race for a stale lock, also when a claim on it is stale too', async () => {
    const stateDir = await tempFolder()
    const dead = { format: 1, pid: 2 ** 22 - 1, started: 'long ago', socketPath: 'a' }
    for (let round = 0; round < 4; round += 1) {
      const contenders = await Promise.all(Array.from({ length: 5 }, () => contender(stateDir)))
      await writeFile(join(stateDir, 'lock'), JSON.stringify({ ...dead, token: 'a'.repeat(32) }), { mode: 0o600 })
      if (round % 2 === 1) {
        await writeFile(
          join(stateDir, `lock.claim-${'a'.repeat(32)}`),
          JSON.stringify({ ...dead, token: 'b'.repeat(32) }),
          { mode: 0o600 },
        )
      }
      const results = await Promise.all(contenders.map((one) => one.go()))
      expect(results.filter((result) => result === 'won')).toHaveLength(1)
      expect(results.filter((result) => result.startsWith('conflict another Toolhaven daemon'))).toHaveLength(4)
      const winner = contenders[results.indexOf('won')]
      expect(await readLock(stateDir)).toMatchObject({ alive: true, holder: { pid: winner?.pid } })
      for (const one of contenders) await one.kill()
    }
  }, 60_000)
})

describe('processStart', () => {
  it('tells processes apart and knows the dead', async () => {
    const child = spawn('sleep', ['100'])
    const pid = child.pid ?? 0
    const start = await processStart(pid)
    expect(start).toEqual(await processStart(pid))
    expect(start).not.toEqual(await processStart(process.pid))
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    expect(await processStart(pid)).toBeUndefined()
  })

  it('counts a zombie as gone', async () => {
    // The shell starts a child and becomes a program that never asks how the child ended.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 100'], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [line] = await once(createInterface(parent.stdout), 'line')
    await expect.poll(() => processStart(Number(line)), { timeout: 10_000 }).toBeUndefined()
  })

  it('finds processes through ps, as on macOS', async () => {
    expect(await processStart(process.pid, 'darwin')).toMatch(/\d{4}$/)
    expect(await processStart(2 ** 22 - 1, 'darwin')).toBeUndefined()
  })
})

describe('loadInstanceId', () => {
  const logger = { debug() {}, info() {}, warn() {}, error() {} }

  it('stays the same for one folder and differs between folders', async () => {
    const stateDir = await tempFolder()
    const id = await loadInstanceId({ stateDir, logger })
    expect(id).toMatch(/^[0-9a-f]{16}$/)
    expect(await loadInstanceId({ stateDir, logger })).toBe(id)
    expect(await loadInstanceId({ stateDir: await tempFolder(), logger })).not.toBe(id)
  })

  it('is made again when damaged, and refuses one of a newer version', async () => {
    const stateDir = await tempFolder()
    await writeFile(join(stateDir, 'instance.json'), '{', { mode: 0o600 })
    expect(await loadInstanceId({ stateDir, logger })).toMatch(/^[0-9a-f]{16}$/)
    expect(await readdir(stateDir)).toHaveLength(2)
    await writeFile(join(stateDir, 'instance.json'), '{"format":2,"record":{}}', { mode: 0o600 })
    await expect(loadInstanceId({ stateDir, logger })).rejects.toMatchObject({ code: 'conflict', message: /newer/ })
  })
})
