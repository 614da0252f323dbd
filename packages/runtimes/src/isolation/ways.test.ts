import { describe, expect, it } from 'vitest'
import type { WayOut } from '@toolhaven/core/ports/egress'
import { forwarderWays, proxyVariables, waysOf } from './ways.ts'

const OUT: WayOut = {
  folder: '/run/o/x',
  proxy: 'p',
  direct: 'd',
  names: 'n',
  ports: [80, 443],
}

describe('the ways of an isolated instance', () => {
  it('lead out to the proxy, and in to the port', () => {
    expect(forwarderWays(waysOf(OUT, '/o', { socketPath: '/i/h', port: 8000 }))).toEqual([
      ...['-e', '127.0.0.1:3128=/o/p', '-i', '/i/h=8000'],
    ])
    expect(forwarderWays(waysOf(undefined, '', { socketPath: '/i/h', port: 8000 }))).toEqual(['-i', '/i/h=8000'])
  })

  it('are told to programs that know proxies, and only where there is one', () => {
    expect(proxyVariables(OUT)).toMatchObject({ HTTPS_PROXY: 'http://127.0.0.1:3128', NODE_USE_ENV_PROXY: '1' })
    expect(proxyVariables(undefined)).toEqual({})
  })
})
