import { expect, test } from 'vitest'
import { commandOf } from './keys.ts'

const plain = { ctrlKey: false, metaKey: false, altKey: false }
const anywhere = { isTyping: false, isInDialog: false, usesSingleKeys: true }

test('letters are letters where somebody types, and the palette opens there too', () => {
  expect(commandOf({ ...plain, key: 'l' }, anywhere)).toBe('log')
  expect(commandOf({ ...plain, key: 'l' }, { ...anywhere, isTyping: true })).toBeUndefined()
  expect(commandOf({ ...plain, key: 'k', metaKey: true }, { ...anywhere, isTyping: true })).toBe('palette')
  expect(commandOf({ ...plain, key: 'K', ctrlKey: true }, anywhere)).toBe('palette')
})

test('a dialog keeps the keyboard, and keys of the browser and of people stay theirs', () => {
  expect(commandOf({ ...plain, key: 'k', ctrlKey: true }, { ...anywhere, isInDialog: true })).toBeUndefined()
  expect(commandOf({ ...plain, key: 'l', ctrlKey: true }, anywhere)).toBeUndefined()
  expect(commandOf({ ...plain, key: '/', altKey: true }, anywhere)).toBeUndefined()
  expect(commandOf({ ...plain, key: '?' }, { ...anywhere, usesSingleKeys: false })).toBeUndefined()
})
