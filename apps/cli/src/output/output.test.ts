import { describe, expect, test } from 'vitest'
import { createOutput } from './output.ts'

function terminal(options: { isTTY: boolean; columns?: number; env?: Record<string, string> }) {
  const { env = {}, ...tty } = options
  let all = ''
  const stream = { ...tty, write: (text: string) => (all += text) }
  let time = 0
  const out = createOutput({ stdout: stream, stderr: stream, env, now: () => time })
  return { out, all: () => all, pass: (ms: number) => (time += ms) }
}

describe('a line that does not stay', () => {
  test('is erased by whatever is written next', () => {
    const { out, all } = terminal({ isTTY: true })
    out.transient('pulling')
    out.transient('starting')
    out.line('done')
    out.note('bye')
    expect(all()).toBe('pulling\r\u001B[Kstarting\r\u001B[Kdone\nbye\n')
  })
  test('never wraps and drives no terminal', () => {
    const { out, all } = terminal({ isTTY: true, columns: 14 })
    out.transient('a\nb\u001B[2Jlong text')
    expect(all()).toBe('a b\\u{1b}[2Jl')
  })
  test('is not written where it could not be erased', () => {
    const piped = terminal({ isTTY: false })
    piped.out.transient('pulling')
    const dumb = terminal({ isTTY: true, env: { TERM: 'dumb' } })
    dumb.out.transient('pulling')
    expect(piped.all() + dumb.all()).toBe('')
  })
  test('is a line now and then where there is no terminal', () => {
    const { out, all, pass } = terminal({ isTTY: false })
    for (const percent of [0, 20, 40, 60, 80]) {
      out.transient(`pulling, ${percent} %`)
      pass(2_000)
    }
    out.transient('')
    out.transient('soon done')
    expect(all()).toBe('[6 s] pulling, 60 %\n')
  })
})

test('there is colour on a terminal only, and none when it is not wanted', () => {
  const paint = (isTTY: boolean, env: Record<string, string>) => terminal({ isTTY, env }).out.colour.red('x')
  expect(paint(true, {})).toBe('\u001B[31mx\u001B[0m')
  expect([paint(false, {}), paint(true, { NO_COLOR: '1' }), paint(true, { TERM: 'dumb' })]).toEqual(['x', 'x', 'x'])
})

test('JSON holds no character that drives a terminal, and says the same', () => {
  const { out, all } = terminal({ isTTY: true })
  const value = { text: 'a\u009B2Jb\u0080\u007F\u001B[2J', 'key\u0090': 'é – 日本' }
  out.json(value)
  expect(all()).toContain(String.raw`a\u009b2Jb\u0080\u007f\u001b[2J`)
  expect(all()).not.toMatch(/(?!\n)\p{Cc}/u)
  expect(JSON.parse(all())).toEqual(value)
})
