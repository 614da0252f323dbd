import { expect, test } from 'vitest'
import { chooseBin } from './npm-entry.ts'
import { chooseScript, parseConsoleScripts } from './uvx-package.ts'

test('the program of an npm package is the only one, or the one named like it', () => {
  expect(chooseBin('a', 'x.js')).toBe('x.js')
  expect(chooseBin('@s/a', { other: 'o.js' })).toBe('o.js')
  expect(chooseBin('@s/a', { other: 'o.js', a: 'a.js' })).toBe('a.js')
  expect(chooseBin('a', { one: 'same.js', two: 'same.js' })).toBe('same.js')
  expect(() => chooseBin('a', { b: 'b.js', c: 'c.js' })).toThrow(/several programs \(b, c\)/)
  expect(() => chooseBin('a', undefined)).toThrow(/no program/)
})

test('the script of a Python package is the one named like it, or the only one', () => {
  const text =
    '[gui_scripts]\nwindow = a:b\n\n[console_scripts]\nmcp_server_time = x:main\nother = y:main\n\n[plugins]\nz = q\n'
  expect(parseConsoleScripts(text)).toEqual(['mcp_server_time', 'other'])
  expect(parseConsoleScripts('[console_scripts]\na=b:c')).toEqual(['a'])
  expect(parseConsoleScripts('')).toEqual([])
  expect(chooseScript('mcp-server-time', ['mcp_server_time', 'other'])).toBe('mcp_server_time')
  expect(chooseScript('x', ['only'])).toBe('only')
  expect(() => chooseScript('x', ['a', 'b'])).toThrow(/several programs \(a, b\)/)
  expect(() => chooseScript('x', [])).toThrow(/no program/)
})
