import { chmod, link, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAuditLogs } from './audit-logs.ts'

async function start(limits: { maxBytes?: number; files?: number } = {}) {
  const root = await mkdtemp(join(tmpdir(), 'thv-audit-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const out: string[] = []
  const errors: string[] = []
  const quiet = () => {}
  const logs = createAuditLogs({
    dir: join(root, 'audit'),
    writeOut: (line) => void out.push(line),
    logger: { debug: quiet, info: quiet, warn: quiet, error: (message) => void errors.push(message) },
    ...limits,
  })
  return { root, logs, out, errors }
}

test('a name alone is a private file in the audit folder', async () => {
  const { root, logs } = await start()
  const log = await logs.open('calls.log')
  log.write('{"a":1}\n')
  log.write('{"a":2}\n')
  await log.close()
  const file = join(root, 'audit', 'calls.log')
  expect(await readFile(file, 'utf8')).toBe('{"a":1}\n{"a":2}\n')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('without a file lines go out at once', async () => {
  const { logs, out } = await start()
  const log = await logs.open(undefined)
  log.write('{"a":1}\n')
  expect(out).toEqual(['{"a":1}\n'])
})

test('two workloads with the same file do not cut into one another', async () => {
  const { root, logs } = await start()
  const [one, two] = [await logs.open('shared.log'), await logs.open('shared.log')]
  for (let at = 0; at < 50; at += 1) {
    one.write(`{"from":"one","at":${at}}\n`)
    two.write(`{"from":"two","at":${at}}\n`)
  }
  await Promise.all([one.close(), two.close()])
  const lines = (await readFile(join(root, 'audit', 'shared.log'), 'utf8')).trimEnd().split('\n')
  expect(lines.map((line): unknown => JSON.parse(line))).toHaveLength(100)
})

test('a full file is shifted aside, and the oldest goes', async () => {
  const { root, logs } = await start({ maxBytes: 40, files: 3 })
  const log = await logs.open('calls.log')
  for (let at = 0; at < 8; at += 1) {
    log.write(`${JSON.stringify({ at, text: 'x'.repeat(10) })}\n`)
    await log.close()
  }
  expect((await readdir(join(root, 'audit'))).toSorted()).toEqual(['calls.log', 'calls.log.1', 'calls.log.2'])
})

test('a link, a second name and a folder are refused', async () => {
  const { root, logs } = await start()
  const victim = join(root, 'victim')
  await writeFile(victim, 'precious')
  await symlink(victim, join(root, 'link.log'))
  await link(victim, join(root, 'second.log'))
  await mkdir(join(root, 'folder.log'))
  for (const name of ['link.log', 'second.log', 'folder.log'])
    await expect(logs.open(join(root, name))).rejects.toThrow('the log file cannot be used')
  expect(await readFile(victim, 'utf8')).toBe('precious')
})

test('a file others may read is closed to them', async () => {
  const { root, logs } = await start()
  const file = join(root, 'open.log')
  await writeFile(file, '')
  await chmod(file, 0o644)
  await logs.open(file)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('what could not be written is counted in the file once it can be', async () => {
  const { root, logs, errors } = await start()
  const folder = join(root, 'logs')
  await mkdir(folder)
  const log = await logs.open(join(folder, 'calls.log'))
  await rm(folder, { recursive: true })
  log.write('{"a":1}\n')
  await log.close()
  log.write('{"a":2}\n')
  await log.close()
  expect(errors).toEqual(['audit records are being lost: the file cannot be written'])
  await mkdir(folder)
  log.write('{"a":3}\n')
  await log.close()
  const lines = (await readFile(join(folder, 'calls.log'), 'utf8')).trimEnd().split('\n')
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { a: 3 },
    { time: expect.any(String), msg: 'audit_records_lost', count: 2 },
  ])
})
