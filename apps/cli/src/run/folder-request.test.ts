import { expect, test } from 'vitest'
import { folderOf, isFolder } from './folder-request.ts'

const caller = { cwd: '/project/dir', homeDir: '/home/me' }
const ask = (words: string[], flags: { folder?: string; write?: boolean; watch?: boolean } = {}) =>
  folderOf(caller, words, { folder: undefined, write: false, watch: false, ...flags })

test('a folder is told by how it is written', () => {
  for (const word of ['.', '..', './', './a', '../a', '/a/b', '~', '~/a', '/']) expect(isFolder(word), word).toBe(true)
  for (const word of ['', 'time', 'a/b', '.hidden', '...', '~other', 'npx://a', 'https://a/', 'a/'])
    expect(isFolder(word), word).toBe(false)
})

test('relative folders are those of the caller, and what follows is for the server', () => {
  expect(ask(['./a', '-v'])).toEqual({ folder: { path: '/project/dir/a' }, args: ['-v'] })
  expect(ask(['..'], { watch: true })).toEqual({ folder: { path: '/project', watch: true }, args: [] })
  expect(ask(['~/a'], { write: true })).toEqual({ folder: { path: '/home/me/a', write: true }, args: [] })
  expect(ask([], { folder: 'a' })).toEqual({ folder: { path: '/project/dir/a' }, args: [] })
  expect(ask(['node', 'x'], { folder: '.' })).toEqual({
    folder: { path: '/project/dir', command: ['node', 'x'] },
    args: [],
  })
  expect(ask(['time'])).toBeUndefined()
})

test('what does not go together is refused with what to do', () => {
  expect(() => ask(['time'], { watch: true })).toThrow('--watch needs a server in a folder, such as "thv run ./server"')
  expect(() => ask(['./a'], { folder: './b' })).toThrow('the folder is given twice\nUse --folder ./b, or ./a alone.')
})
