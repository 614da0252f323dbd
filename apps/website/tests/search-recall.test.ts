import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createFilters } from '@toolhaven/search/facets'
import type { SearchRecord } from '@toolhaven/search/record'
import { search } from '@toolhaven/search/search'
import { createSearchIndex } from '@toolhaven/search/search-index'
import { beforeAll, expect, inject, it } from 'vitest'
import { questions, withOneTypo } from './test-search-questions.ts'

let records: SearchRecord[]
let findsIt: (query: string, page: string) => boolean

beforeAll(async () => {
  records = JSON.parse(await readFile(path.join(inject('siteFolder'), '.records.json'), 'utf8'))
  const index = createSearchIndex(records)
  const allowed = createFilters(records)([])
  const pageOf = (url = '') => url.replace(/#.*$/, '').replace(/\/$/, '')
  findsIt = (query, page) => {
    const pages = search(index, query, allowed).numbers.map((number) => pageOf(records[number]?.url))
    return [...new Set(pages)].slice(0, 5).includes(`/toolhaven/${page}`)
  }
})

const share = (asked: ReadonlyArray<readonly [string, string]>) => {
  const missed = asked.filter(([query, page]) => !findsIt(query, page)).map(([query]) => query)
  return { found: 1 - missed.length / asked.length, missed }
}

it('has at least sixty questions, each with a page that exists', () => {
  expect(questions.length).toBeGreaterThanOrEqual(60)
  const known = new Set(records.map(({ url }) => url.replace(/#.*$/, '').replace(/\/$/, '')))
  expect(questions.filter(([, page]) => !known.has(`/toolhaven/${page}`))).toEqual([])
})

it('finds the page of nine questions in ten among the first five', () => {
  const { found, missed } = share(questions)
  expect(found, `missed: ${missed.join(', ')}`).toBeGreaterThanOrEqual(0.9)
})

it('finds them with one typing error too', () => {
  const { found, missed } = share(
    questions.flatMap(([query, page]) => withOneTypo(query).map((typed) => [typed, page] as const)),
  )
  expect(found, `missed: ${missed.join(', ')}`).toBeGreaterThanOrEqual(0.9)
})
