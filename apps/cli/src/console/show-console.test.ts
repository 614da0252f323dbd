import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import type { ConsoleSession } from '@toolhaven/contract/console'
import { createDaemonClient } from '../connect/daemon-client.ts'
import { createOutput } from '../output/output.ts'
import { showConsole } from './show-console.ts'

/** What the command says of a daemon that is reached by this address, and that makes a link if it is the local one. */
async function told(login: ConsoleSession['login'], elsewhere: string, link?: string): Promise<string> {
  await using server = createServer(({ url = '' }, response) => {
    const answer = url.endsWith('/session') ? { login } : { url: link, expires_at: '2026-01-15T09:31:00Z' }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  let stderr = ''
  const sink = { write: () => {} }
  const out = createOutput({ stdout: sink, stderr: { write: (text: string) => void (stderr += text) }, env: {} })
  const daemon = async () => createDaemonClient({ host: '127.0.0.1', port })
  const env = { THV_HOST: elsewhere }
  const context = { daemon, out, env, cwd: '/', debug: false, signal: new AbortController().signal }
  await showConsole(context, { noOpen: true, format: 'text' })
  server.closeAllConnections()
  return stderr
}

test('where a browser cannot log in, the command says what to do', async () => {
  expect(await told('needed', 'http://box.example:9000')).toContain('"ssh -L 9000:box.example:9000 box.example"')
  expect(await told('needed', '', 'http://192.0.2.7:8080/#login=x')).toContain('"ssh -L 8080:192.0.2.7:8080 192.0.2.7"')
  expect(await told('needed', 'http://[2001:db8::1]')).toContain('"ssh -L 8080:[2001:db8::1]:80 2001:db8::1"')
})

test('where a browser can log in, or need not, the command says nothing of it', async () => {
  for (const elsewhere of [
    'https://box.example',
    'http://localhost:9000',
    'http://127.0.0.2:9000',
    'http://[::1]:9000',
  ])
    expect(await told('needed', elsewhere)).not.toContain('ssh')
  expect(await told('not-needed', 'http://box.example:9000')).not.toContain('ssh')
  expect(await told('needed', '', 'http://localhost:8080/#login=x')).not.toContain('ssh')
})
