import { mkdtemp, readFile, readdir, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDaemonLog, openDaemonLogFile } from './daemon-log.ts'

const now = () => Date.UTC(2026, 0, 2, 3, 4, 5)

function record(form: 'json' | 'human', level: 'debug' | 'info' | 'warn' | 'error' = 'debug') {
  const lines: string[] = []
  return { lines, log: createDaemonLog({ write: (line) => void lines.push(line), form, level, now }) }
}

describe('the log of the daemon', () => {
  it('writes one JSON object a line', () => {
    const { lines, log } = record('json')
    log.info('workload started', { workload: 'fetch', port: 4000 })
    expect(lines).toEqual([
      '{"time":"2026-01-02T03:04:05.000Z","level":"info","message":"workload started","workload":"fetch","port":4000}\n',
    ])
  })

  it('leaves out what is below its level', () => {
    const { lines, log } = record('json', 'warn')
    log.debug('a')
    log.info('b')
    log.warn('c')
    log.error('d')
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(['c', 'd'])
  })

  it('writes one short line for people, in which no field can forge another line or colour the terminal', () => {
    const { lines, log } = record('human')
    log.warn('odd name', { name: 'a\n03:04:05 INFO  all is well\u001b[2J', count: 2, plain: 'x' })
    expect(lines).toEqual(['03:04:05 WARN  odd name name="a\\n03:04:05 INFO  all is well\\u001b[2J" count=2 plain=x\n'])
  })

  it('takes any field without throwing', () => {
    const { lines, log } = record('json')
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    const spiteful = {
      toJSON() {
        throw new Error('no')
      },
    }
    log.info('a', {
      circle,
      big: 10n,
      error: Object.assign(new Error('broken'), { code: 'EPIPE' }),
      nothing: undefined,
    })
    log.info('b', { spiteful })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ big: '10', error: { message: 'broken', code: 'EPIPE' } })
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ message: 'b' })
  })
})

describe('the log file of the daemon', () => {
  it('is private, goes on after a restart, and is shifted aside when full', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'thv-daemon-log-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const file = join(dir, 'daemon.log')
    for (let round = 0; round < 2; round += 1) {
      using log = openDaemonLogFile(file, 100, 3)
      for (let index = 0; index < 30; index += 1) log.write(`line ${round} ${index}\n`)
    }
    expect((await readdir(dir)).toSorted()).toEqual(['daemon.log', 'daemon.log.1', 'daemon.log.2'])
    expect((await readFile(file, 'utf8')).trimEnd().split('\n').at(-1)).toBe('line 1 29')
    for (const name of await readdir(dir)) {
      const found = await stat(join(dir, name))
      expect(found.size).toBeLessThanOrEqual(100)
      expect(found.mode & 0o777).toBe(0o600)
    }
    await symlink(file, join(dir, 'link'))
    expect(() => openDaemonLogFile(join(dir, 'link'))).toThrow(/ELOOP/)
  })

  it('does not throw once it is closed', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'thv-daemon-log-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const log = openDaemonLogFile(join(dir, 'daemon.log'))
    log[Symbol.dispose]()
    log[Symbol.dispose]()
    expect(() => log.write('late\n')).not.toThrow()
  })
})
