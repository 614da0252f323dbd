import { describe, expect, it } from 'vitest'
import type { WayOut } from '@toolhaven/core/ports/egress'
import { forwarderWays, hostsFile, proxyVariables, waysOf } from './ways.ts'

const OUT: WayOut = {
  folder: '/run/o/x',
  proxy: 'p',
  places: [
    { host: 'a.example', port: 443, socket: '0' },
    { host: 'a.example', port: 8443, socket: '1' },
    { host: 'b.example', port: 443, socket: '2' },
  ],
}

describe('the ways of an isolated instance', () => {
  it('lead out to the proxy and to each place, and in to the port', () => {
    expect(forwarderWays(waysOf(OUT, '/o', { socketPath: '/i/h', port: 8000 }))).toEqual([
      ...['-e', '127.0.0.1:3128=/o/p', '-e', '127.1.0.1:443=/o/0', '-e', '127.1.0.1:8443=/o/1'],
      ...['-e', '127.1.0.2:443=/o/2', '-i', '/i/h=8000'],
    ])
    expect(forwarderWays(waysOf(undefined, '', { socketPath: '/i/h', port: 8000 }))).toEqual(['-i', '/i/h=8000'])
  })

  it('have one address for each name, which programs find without a resolver', () => {
    expect(hostsFile(OUT).split('\n')).toEqual([
      ...['127.0.0.1 localhost sandbox', '::1 localhost', '127.1.0.1 a.example', '127.1.0.2 b.example', ''],
    ])
    expect(hostsFile(undefined)).not.toContain('127.1.')
  })

  it('are told to programs that know proxies, and only where there is one', () => {
    expect(proxyVariables(OUT)).toMatchObject({ HTTPS_PROXY: 'http://127.0.0.1:3128', NODE_USE_ENV_PROXY: '1' })
    expect(proxyVariables(undefined)).toEqual({})
  })
})
