import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createFilters } from '@toolhaven/search/facets'
import type { SearchRecord } from '@toolhaven/search/record'
import { search } from '@toolhaven/search/search'
import { createSearchIndex } from '@toolhaven/search/search-index'
import { beforeAll, expect, inject, it } from 'vitest'
import { firstHits, heldOutQuestions } from './test-held-out-questions.ts'
import { issueQuestions } from './test-issue-questions.ts'
import { questions, withOneTypo } from './test-search-questions.ts'

let records: SearchRecord[]
let pagesFor: (query: string) => string[]

beforeAll(async () => {
  records = JSON.parse(await readFile(path.join(inject('siteFolder'), '.records.json'), 'utf8'))
  const index = createSearchIndex(records)
  const allowed = createFilters(records)([])
  const pageOf = (url = '') => url.replace(/#.*$/, '').replace(/\/$/, '')
  pagesFor = (query) => {
    const found = search(index, query, allowed).numbers.map((number) => pageOf(records[number]?.url))
    return [...new Set(found)].map((page) => page.replace('/toolhaven/', ''))
  }
})

/** The share of the questions that have one of their pages among the first so many. */
const share = (asked: ReadonlyArray<readonly [string, ...string[]]>, first: number) => {
  const missed = asked
    .filter(
      ([query, ...pages]) =>
        !pagesFor(query)
          .slice(0, first)
          .some((page) => pages.includes(page)),
    )
    .map(([query]) => query)
  return { found: 1 - missed.length / asked.length, missed }
}

it.each([
  ['the questions', questions, 93],
  ['the questions that no list is tuned for', heldOutQuestions, 60],
  ['the questions of public issues', issueQuestions, 40],
])('%s are many, and their pages exist', (_, asked, count) => {
  expect(asked).toHaveLength(count)
  const known = new Set(records.map(({ url }) => url.replace(/#.*$/, '').replace(/\/$/, '')))
  expect(asked.flatMap(([, ...pages]) => pages).filter((page) => !known.has(`/toolhaven/${page}`))).toEqual([])
})

it.each([
  ['the questions', questions, 90],
  ['the questions that no list is tuned for', heldOutQuestions, 57],
  ['the questions of public issues', issueQuestions, 36],
])('%s have their page among the first three', (_, asked, least) => {
  const { found, missed } = share(asked, 3)
  expect(found * asked.length, `missed: ${missed.join(', ')}`).toBeGreaterThanOrEqual(least - 0.5)
})

it.each(firstHits)('"%s" leads to %s first', (query, page) => {
  expect(pagesFor(query)[0]).toBe(page)
})

it('finds the page of nine questions in ten with one typing error too', () => {
  const { found, missed } = share(
    questions.flatMap(([query, page]) => withOneTypo(query).map((typed) => [typed, page] as const)),
    5,
  )
  expect(found, `missed: ${missed.join(', ')}`).toBeGreaterThanOrEqual(0.9)
})
