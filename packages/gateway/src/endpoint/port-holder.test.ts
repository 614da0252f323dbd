import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findPortHolder } from './port-holder.ts'

it('a program that has a port is named by what was started, not by its thread', async (context) => {
  if (process.platform !== 'linux') return context.skip('only Linux says who has a port')
  const folder = await mkdtemp(join(tmpdir(), 'thv-holder-'))
  const script = join(folder, 'my-server.cjs')
  await writeFile(
    script,
    "const s = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port))",
  )
  const child = spawn(process.execPath, ['--no-warnings', script, 'secret-argument'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [port] = await once(child.stdout, 'data')
    expect(await findPortHolder(Number(port))).toBe(`node my-server.cjs (pid ${child.pid})`)
  } finally {
    child.kill()
    await once(child, 'exit')
    await rm(folder, { recursive: true })
  }
})
