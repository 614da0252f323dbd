import type { Context, Hono } from 'hono'
import type * as z from 'zod'
import type { CallResult } from '@toolhaven/contract/client'
import type { RouteDef } from '@toolhaven/contract/route'
import { type OperationId, routes } from '@toolhaven/contract/routes'
import { invalid } from '@toolhaven/core/errors'
import { jsonResponse } from './json-response.ts'
import { readBody } from './read-body.ts'
import { validate, validateBody } from './validate.ts'

type RouteOf<Id extends OperationId> = (typeof routes)[Id]
type Parsed<Route, Key extends string> = Key extends keyof Route
  ? Route[Key] extends z.ZodType
    ? z.output<Route[Key]>
    : undefined
  : undefined

/** A validated call. */
export interface Call<Id extends OperationId> {
  params: Parsed<RouteOf<Id>, 'params'>
  query: Parsed<RouteOf<Id>, 'query'>
  body: Parsed<RouteOf<Id>, 'body'>
  signal: AbortSignal
  /** The address that the caller used. Undefined over the unix socket. */
  origin: string | undefined
  /** The raw request, for what the contract does not describe. */
  request: Request
  /** Whether its Authorization header holds the API token. */
  isApiToken: boolean
}

/** Returns what the contract promises, or a Response for a stream or an unusual status. */
export type Handler<Id extends OperationId> = (
  call: Call<Id>,
) => Promise<CallResult<Id> | Response> | CallResult<Id> | Response

export type Handlers = { readonly [Id in OperationId]: Handler<Id> }

interface BindOptions {
  overSocket: boolean
  token?: string
}

/** Binds every route of the contract: a route without a handler does not compile. */
export function bindRoutes(app: Hono, handlers: Handlers, options: BindOptions): void {
  for (const id of Object.keys(routes)) {
    if (isOperation(id)) bindRoute(app, id, handlers, options)
  }
}

function bindRoute<Id extends OperationId>(app: Hono, id: Id, handlers: Handlers, options: BindOptions): void {
  const route: RouteDef = routes[id]
  const handler: Handler<Id> = handlers[id]
  if (route.socketOnly && !options.overSocket) return
  const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
  app.on(route.method, path, async (context) =>
    respond(route, await handler(await parseCall<Id>(route, context, options))),
  )
}

async function parseCall<Id extends OperationId>(
  route: RouteDef,
  context: Context,
  { overSocket, token }: BindOptions,
): Promise<Call<Id>> {
  const call = {
    params: route.params && validate(route.params, context.req.param()),
    query: validateQuery(route, context),
    body: route.body && validateBody(route.body, await readBody(context.req.raw)),
    // Read only if needed, because on Node, the access creates a whole platform Request.
    get signal() {
      return context.req.raw.signal
    },
    get request() {
      return context.req.raw
    },
    isApiToken: token !== undefined && context.req.header('authorization') === `Bearer ${token}`,
    get origin() {
      return overSocket ? undefined : `http://${context.req.header('host') ?? new URL(context.req.url).host}`
    },
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- each part was parsed by the schema its type comes from
  return call as unknown as Call<Id>
}

function validateQuery(route: RouteDef, context: Context): unknown {
  const all = context.req.queries()
  const repeated = Object.entries(all).find(([, values]) => values.length > 1)
  if (repeated) throw invalid(`query parameter ${repeated[0].slice(0, 100)} is given more than once`)
  const single = Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values[0]]))
  if (route.query) return validate(route.query, single)
  const [unknown] = Object.keys(single)
  if (unknown !== undefined) throw invalid(`unknown query parameter ${unknown.slice(0, 100)}`)
  return undefined
}

function respond(route: RouteDef, result: unknown): Response {
  if (result instanceof Response) return result
  const [status = '200', answer] = Object.entries(route.success)[0] ?? []
  if (!answer?.schema) {
    // A 204 must not have the header. On a 202 it says that the body is empty.
    return new Response(null, { status: Number(status), headers: status === '204' ? {} : { 'content-length': '0' } })
  }
  if (answer.contentType) {
    return new Response(String(result), {
      status: Number(status),
      headers: { 'content-type': `${answer.contentType}; charset=utf-8` },
    })
  }
  return jsonResponse(JSON.stringify(result), Number(status))
}

function isOperation(id: string): id is OperationId {
  return Object.hasOwn(routes, id)
}
