import { expect, test } from 'vitest'
import { createRoll, createScreen } from './screen.ts'

const ESCAPE = '\u001B'
const ORDERS = new RegExp(String.raw`${ESCAPE}\[(\?\d+[hl]|\d*[A-Z])|([^${ESCAPE}]+)`, 'g')

/** What a person sees: enough of a terminal to follow the few orders that a screen gives. */
function terminal(rows: number) {
  const lines: string[] = ['']
  let [row, hasCursor] = [0, true]
  const write = (text: string) => {
    for (const [, order, plain] of text.matchAll(ORDERS)) {
      if (order === '?25l') hasCursor = false
      else if (order === '?25h') hasCursor = true
      else if (order?.endsWith('F')) row -= Number.parseInt(order, 10)
      else if (order === 'J') lines.splice(row, Infinity, (lines[row] ?? '').slice(0, written))
      else if (order === 'K') lines[row] = lines[row]?.slice(0, written) ?? ''
      for (const character of plain ?? '') put(character)
    }
  }
  let written = 0
  const put = (character: string) => {
    if (character === '\n') {
      row += 1
      written = 0
      lines[row] ??= ''
      return
    }
    const line = lines[row] ?? ''
    lines[row] = line.slice(0, written) + character + line.slice(written + 1)
    written += 1
  }
  return { rows, write, seen: () => lines.join('\n'), hasCursor: () => hasCursor }
}

test('each text takes the place of the one before, whole', () => {
  const its = terminal(24)
  const screen = createScreen(its)
  screen.show('NAME  STATUS\ntime  running\nweb   running')
  screen.show('NAME  STATUS\nweb   ok')
  expect(its.seen()).toBe('NAME  STATUS\nweb   ok\n')
  expect(its.hasCursor()).toBe(false)
  screen[Symbol.dispose]()
  expect(its.hasCursor()).toBe(true)
})

test('what does not fit is counted', () => {
  const its = terminal(4)
  const screen = createScreen(its)
  for (const mark of ['a', 'b']) screen.show([1, 2, 3, 4, 5].map((number) => `${mark}${number}`).join('\n'))
  expect(its.seen()).toBe('b1\nb2\n… and 3 more\n')
  const unknown = terminal(0)
  createScreen(unknown).show('one\ntwo\nthree')
  expect(unknown.seen()).toBe('one\ntwo\nthree\n')
})

test('a pipe gets one table below the other and no orders', () => {
  let all = ''
  const roll = createRoll((text) => (all += text))
  roll.show('one')
  roll.show('two')
  expect(all).toBe('one\n\ntwo\n')
})
