import { createServer as createHttpServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { PUBLIC, listen, openGate, say } from '../test/support/scene.ts'

describe('a plain request', () => {
  const web = async () => {
    const requests: { method?: string; url?: string; headers: Record<string, unknown>; body: string }[] = []
    const server = await listen(
      createHttpServer((request, response) => {
        let body = ''
        request.on('data', (chunk) => (body += String(chunk)))
        request.on('end', () => {
          requests.push({
            ...(request.method && { method: request.method }),
            ...(request.url && { url: request.url }),
            headers: request.headers,
            body,
          })
          response.writeHead(201, { 'x-own': 'yes', connection: 'close' }).end('fine')
        })
      }),
    )
    return { server, requests }
  }

  it('is passed on with its path, its body and its own headers only', async () => {
    const { server, requests } = await web()
    const { socketPath, dialled } = await openGate(server)
    const heard = await say(
      socketPath,
      'POST http://api.example.com/a?b=1 HTTP/1.1\r\nHost: api.example.com\r\nProxy-Authorization: x\r\nConnection: x-hop\r\nX-Hop: 1\r\nX-End: 2\r\nContent-Length: 4\r\n\r\nbody',
      'fine',
    )
    expect(heard).toMatch(/^HTTP\/1\.1 201 /)
    expect(heard).toContain('x-own: yes')
    expect(dialled).toEqual([`${PUBLIC}:80`])
    expect(requests).toEqual([
      {
        method: 'POST',
        url: '/a?b=1',
        body: 'body',
        headers: expect.objectContaining({ host: 'api.example.com', 'x-end': '2' }),
      },
    ])
    expect(requests[0]?.headers).not.toHaveProperty('x-hop')
    expect(requests[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  it('is refused for a host that is not listed', async () => {
    const { server, requests } = await web()
    const { socketPath } = await openGate(server)
    const heard = await say(socketPath, 'GET http://other.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n')
    expect(heard).toMatch(/^HTTP\/1\.1 403 /)
    expect(heard).toContain('blocked: other.example:80 is not in allow_host')
    expect(requests).toEqual([])
  })

  const GET = 'GET http://api.example.com/ HTTP/1.1\r\n'
  const HOST = 'Host: api.example.com\r\n'
  it.each([
    ['origin form', `GET / HTTP/1.1\r\n${HOST}\r\n`],
    ['https in absolute form', `GET https://api.example.com/ HTTP/1.1\r\n${HOST}\r\n`],
    ['another host in Host', `${GET}Host: other.example\r\n\r\n`],
    ['two Host headers', `${GET}${HOST}Host: other.example\r\n\r\n`],
    ['no Host header', `${GET}\r\n`],
    ['a user in the target', `GET http://u@api.example.com/ HTTP/1.1\r\n${HOST}\r\n`],
    ['a backslash in the target', `GET http://api.example.com\\@evil.example/ HTTP/1.1\r\n${HOST}\r\n`],
    ['an upgrade', `${GET}${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    [
      'an upgrade to HTTP/2',
      `${GET}${HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n`,
    ],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a length and chunks', `${GET}${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${GET}${HOST}Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody`],
    ['an unknown transfer coding', `${GET}${HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['a space before the colon', `${GET}${HOST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['a folded header', `${GET}${HOST}X-A: 1\r\n b\r\n\r\n`],
    ['bare line feeds', `GET http://api.example.com/ HTTP/1.1\nHost: api.example.com\n\n`],
    ['64 KB of headers', `${GET}${HOST}X-A: ${'a'.repeat(65_536)}\r\n\r\n`],
    ['SOCKS', '\x05\x01\x00'],
  ])('with %s is refused and nothing is dialled', async (_what, text) => {
    const { server, requests } = await web()
    const { socketPath, dialled } = await openGate(server)
    const heard = await say(socketPath, text)
    expect(heard).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(dialled).toEqual([])
    expect(requests).toEqual([])
  })

  it('leaves a pipelined second request to be judged on its own', async () => {
    const { server, requests } = await web()
    const { socketPath, decisions } = await openGate(server)
    await say(
      socketPath,
      `${GET}${HOST}\r\nGET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
      'blocked: evil',
    )
    expect(requests.map(({ url }) => url)).toEqual(['/'])
    expect(decisions.map(({ host, isAllowed }) => `${host} ${isAllowed}`)).toEqual(
      expect.arrayContaining(['evil.example false']),
    )
  })
})
