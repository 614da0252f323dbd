import type * as z from 'zod'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface ResponseDef {
  description: string
  /** Left out: the answer has no body. */
  schema?: z.ZodType
  /** Default `application/json`. */
  contentType?: string
  example?: unknown
}

/** Errors a route can answer besides those every route can (400, 403, 500): status → when. */
export type ErrorDefs = Readonly<Record<number, string>>

export interface RouteDef {
  method: HttpMethod
  /** In the specification's spelling, with `{parameters}`. */
  path: string
  tag: string
  summary: string
  description?: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  bodyExample?: unknown
  success: Readonly<Record<number, ResponseDef>>
  errors?: ErrorDefs
  /** Ours, beside the specification's routes. */
  extension?: true
  /** Answers over the 0600 unix socket only; elsewhere 404. */
  socketOnly?: true
}

export type Routes = Readonly<Record<string, RouteDef>>

export const API_PREFIX = '/api/v1beta'

export const accepted = {
  202: { description: 'Accepted; the outcome is the status of the workload' },
} as const satisfies RouteDef['success']

export const noContent = { 204: { description: 'Done' } } as const satisfies RouteDef['success']

export function ok<Schema extends z.ZodType>(schema: Schema, description: string, example?: unknown) {
  return { 200: { description, schema, example } } as const
}

export function created<Schema extends z.ZodType>(schema: Schema, description: string, example?: unknown) {
  return { 201: { description, schema, example } } as const
}
