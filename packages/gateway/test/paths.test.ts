import { createConnection } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway, type TestGateway } from './support/gateway.ts'

let test: TestGateway
beforeAll(async () => {
  test = await startGateway()
  await test.open()
  await test.run()
})
afterAll(() => test[Symbol.asyncDispose]())

/** The status for a request sent byte by byte, with headers that no library would send. */
function raw(headers: [string, string][], method: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(test.port, '127.0.0.1')
    socket.once('data', (data) => {
      socket.destroy()
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())?.[1]))
    })
    socket.once('error', reject)
    socket.write(
      `${method} ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    )
  })
}

describe('paths', () => {
  it('that do not exist are 404', async () => {
    for (const path of ['/', '/mcp/', '/MCP', '/metrics', '/__proto__', '/constructor', '/.well-known/x']) {
      expect((await fetch(test.origin + path)).status).toBe(404)
    }
  })

  it('name their methods', async () => {
    for (const [path, allow] of [
      ['/mcp', 'POST, GET, DELETE'],
      ['/sse', 'GET'],
      ['/messages', 'POST'],
      ['/health', 'GET, HEAD'],
    ]) {
      const response = await fetch(`${test.origin}${path}`, { method: 'PUT' })
      expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
    }
  })

  it('include the health of the port', async () => {
    const response = await fetch(`${test.origin}/health`)
    expect(await response.json()).toEqual({ status: 'healthy', server: 'connected' })
  })

  it.each(['/', '/mcp', '/sse', '/messages?sessionId=x', '/health', '/nothing'])('%s is guarded', async (path) => {
    const ask = (headers: Record<string, string>, method = 'GET') =>
      raw(Object.entries({ host: 'localhost', ...headers }), method, path)
    for (const host of ['evil.example', `evil.example:${test.port}`, '127.1', '0.0.0.0', '[::ffff:127.0.0.1]'])
      expect(await ask({ host })).toBe(403)
    expect(
      await raw(
        [
          ['Host', 'localhost'],
          ['host', 'evil.example'],
        ],
        'GET',
        path,
      ),
    ).toBe(400)
    expect(await ask({ origin: 'https://evil.example' })).toBe(403)
    expect(await ask({ origin: 'null' }, 'POST')).toBe(403)
    expect(await ask({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    const plain = await fetch(`${test.origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    })
    expect(plain.status).toBe(400)
    expect(plain.headers.get('access-control-allow-origin')).toBeNull()
  })
})
