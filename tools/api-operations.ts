import * as z from 'zod'
import { sentence } from './schema-tables.ts'

const operation = z.object({
  operationId: z.string(),
  tags: z.tuple([z.string()]),
  summary: z.string(),
  description: z.string().optional(),
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
  responses: z.record(z.string(), z.object({ description: z.string() })),
})
type Operation = z.infer<typeof operation>

const apiDocument = z.object({
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
})

/**
 * Every operation of an OpenAPI document as Markdown: for readers without scripts, for the Markdown copy of the page
 * and for search. The anchors are those that the viewer gives its own sections.
 */
export function apiOperations(openapi: unknown): string {
  const { tags, paths } = apiDocument.parse(openapi)
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method, described })),
  )
  return tags
    .flatMap(({ name, description }) => [
      `## ${name} {#tag/${name}}`,
      sentence(description),
      ...all
        .filter(({ described }) => described.tags[0] === name)
        .map(({ path, method, described }) => section(`${method.toUpperCase()} ${path}`, described)),
    ])
    .join('\n\n')
}

function section(address: string, { operationId, tags, summary, description, parameters, responses }: Operation) {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => `\`${name}\``)
  const done = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return [
    `### ${summary} {#tag/${tags[0]}/operation/${operationId}}`,
    `\`${address}\``,
    ...(description === undefined ? [] : [sentence(description)]),
    [
      ...(query.length === 0 ? [] : [`- Query: ${query.join(', ')}`]),
      ...done.map(([status, answer]) => `- Answer ${status}: ${sentence(answer.description)}`),
    ].join('\n'),
  ].join('\n\n')
}
