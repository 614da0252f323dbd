import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** Waits for a signal in the Node that it was handed to, and says which one came. */
const PROGRAM = `
import { runOwnNode } from './own-node.mjs'
if (process.env.THV_OWN_NODE === undefined) process.exit(await runOwnNode())
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
  process.on(signal, () => process.stdout.write(signal + '\\n', () => process.exit(7)))
// Goes on until then, and ends with a test that fails.
process.stdin.on('end', () => process.exit()).resume()
process.stdout.write('ready\\n')
`

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-own-node-'))
  await mkdir(join(folder, 'apps/cli/bin'), { recursive: true })
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true })
  await symlink(process.execPath, join(folder, 'node_modules/.bin/node'))
  await copyFile(new URL('own-node.mjs', import.meta.url), join(folder, 'apps/cli/bin/own-node.mjs'))
  await writeFile(join(folder, 'apps/cli/bin/program.mjs'), PROGRAM)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s reaches the program behind an older Node, whose end is its end',
  async (signal) => {
    const child = spawn(process.execPath, [join(folder, 'apps/cli/bin/program.mjs')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await expect.poll(() => said).toContain('ready')
    child.kill(signal)
    // The program has the other end of the pipe too, so this also says that it is gone.
    await once(child, 'close')
    expect({ said, code: child.exitCode }).toEqual({ said: `ready\n${signal}\n`, code: 7 })
  },
)
