import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { readPage } from './read-page.ts'
import { search } from './search.ts'
import { createSearchIndex } from './search-index.ts'
import { records } from '../test/support/records.ts'

const index = createSearchIndex(records)
const everything = new Uint8Array(records.length).fill(1)
const urls = (query: string) => search(index, query, everything).numbers.map((number) => records[number]?.url)

function firstIn(pages: Readonly<Record<string, string>>, query: string): string | undefined {
  const few = Object.entries(pages).flatMap(([path, main]) => readPage(`<main>${main}</main>`, path))
  const [first = -1] = search(createSearchIndex(few), query, new Uint8Array(few.length).fill(1)).numbers
  return few[first]?.url
}

describe('a search', () => {
  it.each([
    ['a title', 'network isolation', '/guides/network'],
    ['the beginning of a word', 'regis', '/reference/registry'],
    ['a heading within a page', 'windows', '/guides/install#windows'],
    ['a heading together with its page', 'install linux', '/guides/install#linux'],
    ['text', 'ten seconds', '/guides/run#stop'],
    ['another form of a word', 'secret', '/guides/secrets'],
    ['a question', 'how do I stop my server', '/guides/run#stop'],
    ['a word written apart', 'quick start', '/reference/quickstart'],
    ['a missing letter', 'netwrk', '/guides/network'],
    ['a letter too many', 'isollation', '/guides/network'],
    ['a wrong letter', 'regostry', '/reference/registry'],
    ['two letters exchanged', 'instlal', '/guides/install'],
    ['two errors in a long word', 'managmnt', '/guides/secrets'],
  ])('finds %s first', (_, query, url) => {
    expect(urls(query)[0]).toBe(url)
  })

  it('allows no error in a word of three letters', () => {
    expect(urls('rum')).toEqual([])
  })

  it('puts what is spelt right before what is not', () => {
    const found = urls('host')
    expect(found[0]).toBe('/guides/network')
  })

  it('ranks a title before a heading before text', () => {
    expect(urls('server').slice(0, 2)).toEqual(['/guides/run', '/guides/run#stop'])
  })

  it('answers with each address once', () => {
    const found = urls('server')
    expect(new Set(found).size).toBe(found.length)
  })

  it('puts what has both of two words before what has one', () => {
    expect(urls('proxy gateway')[0]).toBe('/guides/network#proxy')
    expect(urls('proxy zebra')).toEqual(['/guides/network#proxy'])
  })

  it('puts a heading with the word itself before a title with a longer one', () => {
    const found = firstIn(
      { '/manage': '<h1>Manage servers</h1>', '/more': '<h1>More</h1><h2 id=serve>thv serve</h2>' },
      'serve',
    )
    expect(found).toBe('/more#serve')
  })

  it('prefers a part of a page that has the other words elsewhere', () => {
    const pages = {
      '/first': '<h1>First</h1><p>A token.',
      '/second': '<h1>Second</h1><p>A token.<h2 id=later>Later</h2><p>It is renewed daily.',
      '/third': '<h1>Third</h1><p>Daily news.',
      '/fourth': '<h1>Fourth</h1><p>Daily bread.',
    }
    expect(firstIn(pages, 'token daily')).toBe('/second')
  })

  it.each(['docsearch:planned', 'docsearch:leads'])('puts a page that says %s behind the others', (name) => {
    const pages = {
      '/': `<meta name="${name}" content="true"><h1>Start</h1><h2 id=harbour>Harbour</h2>`,
      '/guide': '<h1>Guide</h1><h2 id=one>One</h2><h3 id=harbour>A harbour</h3>',
    }
    expect(firstIn(pages, 'harbour')).toBe('/guide#harbour')
  })

  it('finds nothing for a word that is nowhere', () => {
    expect(urls('zebra')).toEqual([])
  })

  it('searches for stop words when there are no others', () => {
    expect(urls('the')).not.toEqual([])
  })

  it('shows every section first when nothing is asked', () => {
    expect(urls('').slice(0, 2)).toEqual(['/guides/install', '/reference/registry'])
  })

  it('finds only what is allowed', () => {
    const allowed = Uint8Array.from(records, ({ url }) => (url === '/guides/run' ? 1 : 0))
    expect(search(index, 'server', allowed).numbers.map((number) => records[number]?.url)).toEqual(['/guides/run'])
  })

  it('survives any query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (query) => urls(query).length <= records.length),
    )
  })

  it('finds a page by its title with any one letter left out', () => {
    const titles = records.filter(({ type, hierarchy }) => type === 'lvl1' && (hierarchy.lvl1?.length ?? 0) > 8)
    fc.assert(
      fc.property(fc.constantFrom(...titles), fc.nat(6), ({ url, hierarchy }, at) => {
        const title = hierarchy.lvl1 ?? ''
        expect(urls(title.slice(0, at + 1) + title.slice(at + 2))).toContain(url)
      }),
    )
  })
})

const pageRecords = (path: string, body: string) =>
  readPage(`<html><head><title>T | Site</title></head><body><main>${body}</main></body></html>`, path)
const urlsIn = (all: ReturnType<typeof readPage>, query: string) =>
  search(createSearchIndex(all), query, new Uint8Array(all.length).fill(1)).numbers.map((number) => all[number]?.url)

describe('what readers call a thing that the pages call otherwise', () => {
  const all = [
    ...pageRecords('/variables', '<h1>Settings</h1><p>Set environment variables of a server.</p>'),
    ...pageRecords('/service', '<h1>Service</h1><p>Servers come back after a reboot.</p>'),
    ...pageRecords('/other', '<h1>Other</h1><p>Start an auto repair with a variable speed.</p>'),
  ]
  it.each([
    ['env variable', '/variables'],
    ['boot', '/service'],
    ['autostart', '/service'],
  ])('"%s" leads to %s', (query, url) => expect(urlsIn(all, query)[0]).toBe(url))

  it('finds the word itself first', () => {
    const both = [
      ...pageRecords('/a', '<h1>One</h1><p>Remove a server.</p>'),
      ...pageRecords('/b', '<h1>Two</h1><p>Delete a server.</p>'),
    ]
    expect(urlsIn(both, 'delete server')).toEqual(['/b', '/a'])
    expect(urlsIn(both, 'remove server')).toEqual(['/a', '/b'])
  })
})

it('of equal records, finds that of the page first that says most about the words', () => {
  const all = [
    ...pageRecords('/changes', '<h1>Changes</h1><p>Python works.</p><p>Much else.</p>'),
    ...pageRecords('/python', '<h1>Packages</h1><p>Python is needed.</p><p>Python is found.</p>'),
  ]
  expect(urlsIn(all, 'python')).toEqual(['/python', '/changes'])
})
