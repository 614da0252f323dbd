import { randomUUID } from 'node:crypto'
import { countFacets, createFilters } from './facets.ts'
import { createMarker, type Marker } from './mark.ts'
import { LEVELS, type SearchRecord } from './record.ts'
import { search } from './search.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'
import type { SearchRequest } from './search-request.ts'

/** The last page that is served. Nobody reads deeper pages, and they cost a full ranking. */
const MAX_HITS = 1000

type Json = Record<string, unknown>

/** Builds the answer to one request, in the format of hosted search. */
export function createAnswers(records: readonly SearchRecord[]): (request: SearchRequest) => Json {
  const index = createSearchIndex(records)
  const filter = createFilters(records)
  return (request) => answer(index, request, filter(request.facetFilters ?? []))
}

function answer(index: SearchIndex, request: SearchRequest, allowed: Uint8Array): Json {
  const startedAt = performance.now()
  const { query, page, hitsPerPage } = request
  const { words, numbers } = search(index, query, allowed)
  const records = numbers.flatMap((number) => index.records[number] ?? [])
  const marker = createMarker(index.vocabulary.terms, words, {
    tags: { pre: request.highlightPreTag, post: request.highlightPostTag },
    ellipsis: request.snippetEllipsisText,
  })
  const hits = records.slice(0, MAX_HITS).slice(page * hitsPerPage, (page + 1) * hitsPerPage)
  return {
    hits: hits.map((record) => toHit(record, request, marker)),
    nbHits: records.length,
    page,
    nbPages: hitsPerPage === 0 ? 0 : Math.ceil(Math.min(records.length, MAX_HITS) / hitsPerPage),
    hitsPerPage,
    ...(request.facets.length > 0 ? { facets: countFacets(records, request.facets), exhaustiveFacetsCount: true } : {}),
    exhaustiveNbHits: true,
    exhaustiveTypo: true,
    query,
    params: '',
    index: request.indexName,
    ...(request.clickAnalytics ? { queryID: randomUUID().replaceAll('-', '') } : {}),
    processingTimeMS: Math.max(1, Math.round(performance.now() - startedAt)),
  }
}

function toHit(record: SearchRecord, request: SearchRequest, marker: Marker): Json {
  const snippets = readSnippetSizes(request.attributesToSnippet)
  const snippetOf = (name: string, text: string) => {
    const size = snippets.get(name) ?? snippets.get('*')
    return size === undefined ? undefined : marker.snippet(text, size)
  }
  const isHighlighted = (name: string) => includes(request.attributesToHighlight, name)
  return {
    ...retrieve(record, request.attributesToRetrieve),
    objectID: record.objectID,
    _highlightResult: mapTexts(record, (name, text) => (isHighlighted(name) ? marker.highlight(text) : undefined)),
    _snippetResult: mapTexts(record, snippetOf),
  }
}

/** The same shape as the record, with each text transformed. */
function mapTexts(record: SearchRecord, make: (name: string, text: string) => unknown): Json {
  const levels = LEVELS.flatMap((level) => {
    const text = record.hierarchy[level]
    const made = text === null ? undefined : make(`hierarchy.${level}`, text)
    return made === undefined ? [] : [[level, made] as const]
  })
  const content = record.content === null ? undefined : make('content', record.content)
  return {
    ...(levels.length > 0 ? { hierarchy: Object.fromEntries(levels) } : {}),
    ...(content === undefined ? {} : { content }),
  }
}

function retrieve(record: SearchRecord, names: readonly string[]): Json {
  const { hierarchy, objectID: _always, ...plain } = record
  const levels = Object.entries(hierarchy).filter(([level]) => includes(names, `hierarchy.${level}`))
  return {
    ...Object.fromEntries(Object.entries(plain).filter(([name]) => includes(names, name))),
    ...(levels.length > 0 ? { hierarchy: Object.fromEntries(levels) } : {}),
  }
}

/** `hierarchy` stands for all of its levels, `*` for everything. */
function includes(names: readonly string[], name: string): boolean {
  return names.some((wanted) => wanted === '*' || wanted === name || name.startsWith(`${wanted}.`))
}

const DEFAULT_SNIPPET_WORDS = 10
const MAX_SNIPPET_WORDS = 100

function readSnippetSizes(entries: readonly string[]): Map<string, number> {
  return new Map(
    entries.map((entry) => {
      const [name = '', words = ''] = entry.split(':')
      const size = /^\d{1,3}$/.test(words) ? Math.min(Number(words), MAX_SNIPPET_WORDS) : DEFAULT_SNIPPET_WORDS
      return [name, Math.max(1, size)]
    }),
  )
}
