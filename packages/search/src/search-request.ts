import { z } from 'zod'

const strings = z.union([z.array(z.string()), z.string().transform((text) => [text])])
const count = (max: number) => z.coerce.number().int().min(0).max(max)
const isTrue = z.union([z.boolean(), z.stringbool()])
const facetFilters = z.union([z.string(), z.array(z.union([z.string(), z.array(z.string())]))])

/** The parameters that the engine uses, with the defaults of a DocSearch index. Others are accepted and ignored. */
const parameters = z.object({
  query: z.string().max(512).default(''),
  page: count(1000).default(0),
  hitsPerPage: count(1000).default(20),
  facetFilters: facetFilters.optional(),
  facets: strings.default([]),
  attributesToRetrieve: strings.default(['*']),
  attributesToHighlight: strings.default(['*']),
  attributesToSnippet: strings.default(['content:10']),
  snippetEllipsisText: z.string().max(32).default('…'),
  highlightPreTag: z.string().max(128).default('<mark>'),
  highlightPostTag: z.string().max(128).default('</mark>'),
  clickAnalytics: isTrue.default(false),
})

export type SearchParameters = z.infer<typeof parameters>
export type SearchRequest = SearchParameters & { indexName: string }

const outer = z.looseObject({
  indexName: z.string(),
  params: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
})
const MAX_REQUESTS = 50
const body = z.object({ requests: z.array(outer).min(1).max(MAX_REQUESTS) })

/** Reads the body of a queries call; throws a z.ZodError that names the field. */
export function readSearchRequests(json: unknown): SearchRequest[] {
  return body.parse(json).requests.map(({ indexName, params, ...rest }) => {
    const inner = typeof params === 'string' ? readParams(params) : params
    return { indexName, ...parameters.parse({ ...rest, ...inner }) }
  })
}

/** Older clients send the parameters as one URL-encoded text, with lists in it as JSON. */
function readParams(text: string): Record<string, unknown> {
  return Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, fromJsonList(value)]))
}

function fromJsonList(value: string): unknown {
  if (!value.startsWith('[')) return value
  try {
    return JSON.parse(value)
  } catch {
    return value // not a list after all: the schema says what is wrong with it
  }
}
