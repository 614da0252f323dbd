import type { Prompt, Tool } from '@modelcontextprotocol/client'
import type { Output } from '../output/output.ts'
import type { Listing } from './list-server.ts'

/** A table for each kind that was asked for; with several, each has a title. */
export function showListing(
  out: Output,
  server: string,
  { tools, resources, resourceTemplates, prompts }: Listing,
): void {
  const places = resources && [
    ...resources.map(({ name, uri, mimeType = '', description = '' }) => ({ name, uri, mimeType, description })),
    ...(resourceTemplates ?? []).map(({ name, uriTemplate: uri, mimeType = '', description = '' }) => ({
      ...{ name, uri, mimeType, description },
    })),
  ]
  const parts = [
    { title: 'tools', rows: tools, print: () => toolTable(out, tools ?? []) },
    { title: 'resources', rows: places, print: () => resourceTable(out, places ?? []) },
    { title: 'prompts', rows: prompts, print: () => promptTable(out, prompts ?? []) },
  ].filter(({ rows }) => rows !== undefined)
  const shown = parts.filter(({ rows }) => rows && rows.length > 0)
  for (const [at, { title, print }] of shown.entries()) {
    if (at > 0) out.line('')
    if (parts.length > 1) out.line(out.colour.bold(title.toUpperCase()))
    print()
  }
  const missing = parts.filter((part) => !shown.includes(part)).map(({ title }) => title)
  if (missing.length > 0) out.note(`${server} has no ${missing.join(' and no ')}.`)
}

function toolTable(out: Output, tools: readonly Tool[]): void {
  out.table<Tool>(
    [
      { title: 'NAME', value: ({ name }) => name },
      { title: 'ARGUMENTS', value: ({ inputSchema }) => toolArguments(inputSchema) },
      { title: 'DESCRIPTION', value: ({ description, title }) => description ?? title ?? '', shrinks: true },
    ],
    tools,
  )
}

/** Optional arguments have a question mark. */
function toolArguments({ properties = {}, required = [] }: Tool['inputSchema']): string {
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(', ')
}

interface Place {
  name: string
  uri: string
  mimeType: string
  description: string
}

function resourceTable(out: Output, places: readonly Place[]): void {
  out.table<Place>(
    [
      { title: 'NAME', value: ({ name }) => name },
      { title: 'URI', value: ({ uri }) => uri },
      { title: 'TYPE', value: ({ mimeType }) => mimeType },
      { title: 'DESCRIPTION', value: ({ description }) => description, shrinks: true },
    ],
    places,
  )
}

function promptTable(out: Output, prompts: readonly Prompt[]): void {
  out.table<Prompt>(
    [
      { title: 'NAME', value: ({ name }) => name },
      { title: 'ARGUMENTS', value: promptArguments },
      { title: 'DESCRIPTION', value: ({ description, title }) => description ?? title ?? '', shrinks: true },
    ],
    prompts,
  )
}

function promptArguments({ arguments: all = [] }: Prompt): string {
  return all.map(({ name, required }) => (required ? name : `${name}?`)).join(', ')
}
