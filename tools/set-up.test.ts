import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'

const SET_UP = path.join(import.meta.dirname, 'set-up.mjs')

/** Starts a process that becomes `script`; `old` takes away what Node 20 does not have. */
function startBecoming(script: string, old: boolean) {
  const folder = mkdtempSync(path.join(tmpdir(), 'thv-set-up-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const target = path.join(folder, 'target.mjs')
  writeFileSync(target, script)
  const starter = `
    import { become } from ${JSON.stringify(SET_UP)}
    if (${old}) process.execve = undefined
    become(process.execPath, ${JSON.stringify(target)}, ['one', 'two words'])`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', starter], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test.each([
  ['as Node 24 does', false],
  ['as Node 20 has to', true],
])('passes arguments and the exit code through, %s', async (_, old) => {
  const child = startBecoming('console.log(JSON.stringify(process.argv.slice(2)))\nprocess.exitCode = 7', old)
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(JSON.parse(said)).toEqual(['one', 'two words'])
  expect(code).toBe(7)
})

test.each([
  ['as Node 24 does', false],
  ['as Node 20 has to', true],
])('passes a signal on and ends with what it came to, %s', async (_, old) => {
  const script = `
    process.on('SIGTERM', () => { clearInterval(timer); process.exitCode = 9 })
    const timer = setInterval(() => {}, 1000)
    console.log('ready')`
  const child = startBecoming(script, old)
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  expect(await ended).toEqual([9, null])
})

test('npm start explains its options without installing anything', async () => {
  // A copy without node_modules: an attempt to install would fail, and would leave a folder.
  const clone = mkdtempSync(path.join(tmpdir(), 'thv-clone-'))
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }))
  const page = 'apps/website/docs/toolhaven/reference/cli/thv_serve.md'
  for (const file of ['tools/start.mjs', 'tools/set-up.mjs', 'tools/system-packages.mjs', page, 'package-lock.json'])
    cpSync(path.join(import.meta.dirname, '..', file), path.join(clone, file))
  const env = { ...process.env, npm_execpath: path.join(clone, 'no-npm.js') }
  const child = spawn(process.execPath, [path.join(clone, 'tools', 'start.mjs'), '--help'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(said).toMatch(/^Usage: npm start \[-- options\]/)
  expect(said).toMatch(/^ {2}--port <number> +port the API listens on \(default: THV_PORT,/m)
  expect(code).toBe(0)
  expect(existsSync(path.join(clone, 'node_modules'))).toBe(false)
})

test('what keeps the process busy for long is told meanwhile, and no longer', async () => {
  const script = `
    import { spawnSync } from 'node:child_process'
    import { tellWhileBlocked } from ${JSON.stringify(SET_UP)}
    const stop = tellWhileBlocked('still installing packages', 200)
    spawnSync(process.execPath, ['-e', 'setTimeout(() => {}, 3000)'])
    stop()
    console.log('done')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // The pipe ends with the last process that has it.
  const said = (await text(child.stdout)).trim().split('\n')
  expect(said.at(-1)).toBe('done')
  expect(said[0]).toMatch(/^\[\d+ s\] still installing packages$/)
})

test('the teller ends with a process that is killed', async () => {
  const script = `
    import { tellWhileBlocked } from ${JSON.stringify(SET_UP)}
    tellWhileBlocked('busy', 100)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  child.stdout.resume()
  await once(child.stdout, 'end')
})
