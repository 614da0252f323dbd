import { expect, test } from 'vitest'
import { sourceCommand, sourceRequest, wishFrom } from './source-wish.ts'

test('the form begins with the source in use, and asks for the same', () => {
  const info = { name: 'default', version: '1', last_updated: '', server_count: 1 }
  const wish = wishFrom({ ...info, type: 'url', source: 'https://box/r.json', allow_private_ip: true })
  expect(sourceRequest(wish)).toEqual({ url: 'https://box/r.json', allow_private_ip: true })
  expect(sourceCommand(wish)).toBe('thv config set-registry https://box/r.json --allow-private-ip')
  expect(sourceRequest(wishFrom(undefined))).toEqual({})
})

test('a file needs no leave for private addresses, and its path is quoted', () => {
  const wish = { type: 'file', text: ' /srv/my list.json ', allowsPrivate: true } as const
  expect(sourceRequest(wish)).toEqual({ local_path: '/srv/my list.json' })
  expect(sourceCommand(wish)).toBe("thv config set-registry '/srv/my list.json'")
  expect(sourceCommand({ ...wish, type: 'default' })).toBe('thv config unset-registry')
})
