import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { writeFixtureServer } from './fixture-source.ts'

it('the fixture server runs as one file of plain JavaScript without type stripping', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fixture-'))
  try {
    const path = await writeFixtureServer(folder)
    const child = spawn(process.execPath, ['--no-experimental-strip-types', path], {
      env: {},
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdin.end(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}\n',
    )
    expect(JSON.parse(await text(child.stdout))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: '3' }] },
    })
  } finally {
    await rm(folder, { recursive: true })
  }
})
