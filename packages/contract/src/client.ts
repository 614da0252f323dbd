import * as z from 'zod'
import { type WorkloadPlan, workloadPlan } from './plans.ts'
import type { RouteDef } from './route.ts'
import { type OperationId, routes } from './routes.ts'

type RouteOf<Id extends OperationId> = (typeof routes)[Id]
type Part<Route, Key extends string> = Key extends keyof Route
  ? Route[Key] extends z.ZodType
    ? { [K in Key]: z.input<Route[Key]> }
    : object
  : object
type OptionalQuery<Route> = Route extends { query: infer Query extends z.ZodObject }
  ? { query?: { [K in keyof Query['shape']]?: string | boolean | undefined } }
  : object

/** What a call needs: path parameters, query and body, each only where the route has one. */
export type CallInput<Id extends OperationId> = Part<RouteOf<Id>, 'params'> &
  Part<RouteOf<Id>, 'body'> &
  OptionalQuery<RouteOf<Id>>

type SuccessSchemas<Success> = {
  [Status in keyof Success]: Success[Status] extends { schema: infer Schema } ? Schema : undefined
}[keyof Success]
export type CallResult<Id extends OperationId> =
  SuccessSchemas<RouteOf<Id>['success']> extends z.ZodType
    ? z.output<SuccessSchemas<RouteOf<Id>['success']>>
    : undefined

/** Operations that have a plan. */
export type PlannedId = {
  [Id in OperationId]: RouteOf<Id> extends { plan: object } ? Id : never
}[OperationId]

/** The daemon answered with an error. The message is written for people. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
  }
}

export interface ApiClientOptions {
  /** Without a trailing slash, e.g. `http://127.0.0.1:8080`. */
  baseUrl: string
  fetch?: (request: Request) => Promise<Response>
  token?: string
}

export interface ApiClient {
  call<Id extends OperationId>(id: Id, input: CallInput<Id>, signal?: AbortSignal): Promise<CallResult<Id>>
  /** For streams: the raw response of a route, already checked for errors. */
  open<Id extends OperationId>(id: Id, input: CallInput<Id>, signal?: AbortSignal): Promise<Response>
  /** What a call would do. Changes nothing. */
  plan<Id extends PlannedId>(id: Id, input: CallInput<Id>, signal?: AbortSignal): Promise<WorkloadPlan>
}

/** A client of the daemon whose types come from the route table. */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const send = options.fetch ?? ((request: Request) => fetch(request))

  async function open(id: OperationId, input: object, signal?: AbortSignal): Promise<Response> {
    const route: RouteDef = routes[id]
    const { params, query, body } = callParts.parse(input)
    const request = new Request(options.baseUrl + pathOf(route, params) + queryOf(query), {
      method: route.method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(options.token && { authorization: `Bearer ${options.token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    const response = await send(request)
    if (!response.ok) throw new ApiError(response.status, (await response.text()).trim())
    return response
  }

  return {
    open,
    async plan(id, input, signal) {
      const { query, ...rest } = callParts.parse(input)
      const response = await open(id, { ...rest, query: { ...query, dry_run: true } }, signal)
      return workloadPlan.parse(await response.json())
    },
    async call(id, input, signal) {
      const response = await open(id, input, signal)
      const route: RouteDef = routes[id]
      const answer = route.success[response.status]
      if (!answer?.schema) return parseAs(id, undefined)
      const raw: unknown = answer.contentType ? await response.text() : await response.json()
      return parseAs(id, answer.schema.parse(raw))
    },
  }
}

const callParts = z.object({
  params: z.record(z.string(), z.unknown()).optional(),
  query: z.record(z.string(), z.unknown()).optional(),
  body: z.unknown().optional(),
})

/** The schema that parsed the value is the one the result type is inferred from. */
function parseAs<Id extends OperationId>(_id: Id, value: unknown): CallResult<Id> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- see above; TypeScript cannot follow the table
  return value as CallResult<Id>
}

function pathOf(route: RouteDef, params: Record<string, unknown> = {}): string {
  return route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
}

function queryOf(query: Record<string, unknown> = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return text ? `?${text}` : ''
}
