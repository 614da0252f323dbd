import { describe, expect, it } from 'vitest'
import type { WayOut } from '@toolhaven/core/ports/egress'
import { forwarderWays, proxyVariables, waysOf, withoutPorts } from './ways.ts'

const OUT: WayOut = { folder: '/run/o/x', proxy: 'p', direct: 'd', names: 'n', ports: [80, 443, 5432] }

describe('the ways of an isolated instance', () => {
  it('lead out by proxy, directly and for names, and in to the port', () => {
    expect(forwarderWays(waysOf(OUT, '/o', { socketPath: '/i/h', port: 8000 }))).toEqual([
      ...['-e', '127.0.0.1:3128=/o/p', '-d', '80,443,5432=/o/d', '-n', '/o/n', '-i', '/i/h=8000'],
    ])
    expect(forwarderWays(waysOf(undefined, '', { socketPath: '/i/h', port: 8000 }))).toEqual(['-i', '/i/h=8000'])
  })

  it('leave the server the ports that it opens itself, if nobody listed them', () => {
    const out = { ...OUT, unlisted: [80, 443] }
    expect(withoutPorts(out, [80, 5432, 9999]).ports).toEqual([443, 5432])
    expect(withoutPorts(OUT, [80]).ports).toEqual([80, 443, 5432])
  })

  it('take no port twice, and none that the server or names need', () => {
    const out = { ...OUT, ports: [443, 8000, 53, 443] }
    expect(waysOf(out, '/o', { socketPath: '/i/h', port: 8000 }).out?.ports).toEqual([443])
    expect(forwarderWays(waysOf({ ...OUT, ports: [53] }, '/o', undefined))).not.toContain('-d')
  })

  it('lead to a proxy of the user at the port that ours has otherwise', () => {
    const out = { ...OUT, ports: [3128, 443] }
    const [, proxy, , direct] = forwarderWays(waysOf(out, '/o', undefined))
    expect([proxy, direct]).toEqual(['127.0.0.1:3129=/o/p', '3128,443=/o/d'])
    expect(proxyVariables(out)).toMatchObject({ HTTP_PROXY: 'http://127.0.0.1:3129' })
  })

  it('are refused with a reason if there are more ports than the forwarder listens on', () => {
    const ports = Array.from({ length: 251 }, (_, n) => 10_000 + n)
    expect(() => waysOf({ ...OUT, ports }, '/o', undefined)).toThrow(/at most 250 ports.*251.*allow_port/)
    expect(waysOf({ ...OUT, ports }, '/o', { socketPath: '/i/h', port: 10_000 }).out?.ports).toHaveLength(250)
  })

  it('are told to programs that know proxies, and only where there is one', () => {
    expect(proxyVariables(OUT)).toMatchObject({ HTTPS_PROXY: 'http://127.0.0.1:3128', NODE_USE_ENV_PROXY: '1' })
    expect(proxyVariables(undefined)).toEqual({})
  })
})
