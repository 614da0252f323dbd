import { describe, expect, it } from 'vitest'
import type { OutboundRules } from '@toolhaven/core/ports/egress'
import { judge, judgeAddress } from './outbound-policy.ts'

const rules = (change: Partial<OutboundRules>): OutboundRules => ({
  allowHost: [],
  allowPort: [],
  allowAll: false,
  ...change,
})

describe('judge', () => {
  it('lets nothing out without a list', () => {
    expect(judge(rules({}), { host: 'example.com', port: 443 }).isAllowed).toBe(false)
  })

  it.each([
    ['example.com', true],
    ['api.example.com', false],
    ['notexample.com', false],
    ['example.com.evil.test', false],
  ])('takes a listed name exactly: %s', (host, isAllowed) => {
    expect(judge(rules({ allowHost: ['Example.com'] }), { host, port: 443 }).isAllowed).toBe(isAllowed)
  })

  it.each([
    ['*.example.com', 'api.example.com', true],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'notexample.com', false],
    ['.example.com', 'api.example.com', true],
    ['.example.com', 'example.com', false],
    ['.example.com', '.example.com', false],
  ])('%s covers %s: %s', (entry, host, isAllowed) => {
    expect(judge(rules({ allowHost: [entry] }), { host, port: 443 }).isAllowed).toBe(isAllowed)
  })

  it('means the ports of the web where none is listed, and only the listed ones otherwise', () => {
    const host = 'example.com'
    expect(judge(rules({ allowHost: [host] }), { host, port: 80 }).isAllowed).toBe(true)
    expect(judge(rules({ allowHost: [host] }), { host, port: 22 })).toEqual({
      isAllowed: false,
      reason: 'example.com:22 is not in allow_port',
    })
    expect(judge(rules({ allowHost: [host], allowPort: [22] }), { host, port: 443 }).isAllowed).toBe(false)
  })

  it('takes a list of ports alone as every public host', () => {
    expect(judge(rules({ allowPort: [443] }), { host: 'any.example', port: 443 }).isAllowed).toBe(true)
  })
})

describe('judgeAddress', () => {
  const place = { host: 'example.com', port: 443 }
  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::a00:1',
    'fd00::1',
  ])('refuses an allowed name that leads to %s, and does not say where it leads', (address) => {
    const verdict = judgeAddress(rules({ allowHost: ['example.com'] }), place, address)
    expect(verdict.isAllowed).toBe(false)
    expect(JSON.stringify(verdict)).not.toContain(address)
  })

  it('refuses private addresses even where everything is allowed', () => {
    expect(judgeAddress(rules({ allowAll: true }), place, '192.168.1.1').isAllowed).toBe(false)
  })

  it('lets a private address through that is itself in the list', () => {
    const listed = rules({ allowHost: ['192.168.1.5'] })
    expect(judgeAddress(listed, { host: '192.168.1.5', port: 443 }, '192.168.1.5').isAllowed).toBe(true)
    expect(judgeAddress(listed, { host: 'example.com', port: 443 }, '192.168.1.5').isAllowed).toBe(false)
  })
})
