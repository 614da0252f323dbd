import { expect, test } from 'vitest'
import { isVisit, type VisitSigns } from './is-visit.ts'

const LINK: VisitSigns = {
  method: 'GET',
  origin: undefined,
  secFetchSite: 'cross-site',
  secFetchMode: 'navigate',
  secFetchDest: 'document',
  secPurpose: undefined,
}

test('a link that a person follows in a tab is a visit', () => {
  expect(isVisit(LINK)).toBe(true)
  expect(isVisit({ ...LINK, secFetchSite: 'same-site' })).toBe(true)
})

test.each<[string, Partial<VisitSigns>]>([
  ['a form that sends something', { method: 'POST' }],
  ['a request that names its origin', { origin: 'https://evil.example' }],
  ['a frame', { secFetchDest: 'iframe' }],
  ['a script that fetches', { secFetchMode: 'cors', secFetchDest: 'empty' }],
  ['an image', { secFetchMode: 'no-cors', secFetchDest: 'image' }],
  ['a page that is loaded ahead', { secPurpose: 'prefetch;prerender' }],
  ['a program that says only half of it', { secFetchDest: undefined }],
])('%s is none', (_, other) => {
  expect(isVisit({ ...LINK, ...other })).toBe(false)
})
