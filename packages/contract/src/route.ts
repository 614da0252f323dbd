import type * as z from 'zod'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface ResponseDef {
  description: string
  /** Undefined if the answer has no body. */
  schema?: z.ZodType
  /** Default `application/json`. */
  contentType?: string
  example?: unknown
}

/** Errors a route can answer besides those every route can (400, 403, 500). */
export type ErrorDefs = Readonly<Record<number, ErrorDef>>

export interface ErrorDef {
  when: string
  /** An example of the daemon's answer, without its final line break. */
  example: string
}

export const noWorkload = {
  404: {
    when: 'no workload of that name',
    example: 'workload everything not found; GET /api/v1beta/workloads?all=true lists them',
  },
} as const satisfies ErrorDefs

export const noGroup = {
  404: { when: 'no group of that name', example: 'group research not found; create it first' },
} as const satisfies ErrorDefs

/** Errors of the routes that create a workload, from a request or from an exported configuration. */
export const notCreated = {
  404: {
    when: 'unknown group or secret, or no secrets provider',
    example: 'group research not found; create it first',
  },
  409: {
    when: 'the name or the port is taken',
    example: 'workload everything already exists; choose another name or delete it first',
  },
} as const satisfies ErrorDefs

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
  /** Our own route, not one of the specification's. */
  extension?: true
  /** With `dry_run=true`: answers 200 with what it would do, and does nothing. */
  plan?: ResponseDef
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
