import { Hono, type HonoRequest } from 'hono'
import { consoleRoutes } from '@toolhaven/contract/console'
import type { RouteDef } from '@toolhaven/contract/route'
import { routes } from '@toolhaven/contract/routes'
import { checkRequest } from '@toolhaven/core/guard/check-request'
import { isVisit } from '@toolhaven/core/guard/is-visit'
import type { ApiDeps } from './api-deps.ts'
import { bindRoutes } from './bind.ts'
import { consoleCookies, isConsole } from './console-cookie.ts'
import { endWith } from './end-with.ts'
import { textResponse, toErrorAnswer } from './http-errors.ts'
import { adoptHandlers } from './routes/adopt.ts'
import { buildHandlers } from './routes/builds.ts'
import { clientHandlers } from './routes/clients.ts'
import { consoleHandlers } from './routes/console.ts'
import { groupHandlers } from './routes/groups.ts'
import { inspectionHandlers } from './routes/inspections.ts'
import { isolationHandlers } from './routes/isolation.ts'
import { lessonHandlers } from './routes/lesson.ts'
import { registryHandlers } from './routes/registry.ts'
import { secretHandlers } from './routes/secrets.ts'
import { serverConnectionHandlers } from './routes/server-connection.ts'
import { statsHandlers } from './routes/stats.ts'
import { systemHandlers } from './routes/system.ts'
import { toolHandlers } from './routes/tools.ts'
import { upgradeHandlers } from './routes/upgrades.ts'
import { workloadHandlers } from './routes/workloads.ts'

export interface AppOptions {
  /** Calls come over the 0600 unix socket. Routes that return secrets exist only there. */
  overSocket: boolean
  /** Host names besides loopback that callers may use. */
  allowedHosts: readonly string[]
  /** If set, every call must carry it. */
  token?: string
  /** The console, which answers addresses that the API does not have. */
  page?: (request: Request) => Promise<Response | undefined>
  /** The page for a person who follows a link from another site. It has no data of the daemon. */
  visitPage?: (request: Request) => Response
}

/** The HTTP interface. The guard checks every request first, including those to unknown routes. */
export function createApp(deps: ApiDeps, options: AppOptions): Hono {
  const app = new Hono({ strict: true })
  app.use(async (context, next) => {
    const barred = guard(context.req.raw, options)
    if (barred) return pageForVisitor(context.req.raw, options) ?? barred
    const refusal = await refuseStranger(deps, context.req, options)
    if (refusal) return refusal
    const end = await endOfLogin(deps, context.req, options)
    await next()
    if (end) context.res = endWith(end, context.res)
    return undefined
  })
  bindRoutes(
    app,
    {
      ...systemHandlers(deps),
      ...workloadHandlers(deps),
      ...buildHandlers(deps),
      ...inspectionHandlers(deps),
      ...groupHandlers(deps),
      ...clientHandlers(deps),
      ...adoptHandlers(deps),
      ...isolationHandlers(deps),
      ...lessonHandlers(deps),
      ...statsHandlers(deps),
      ...toolHandlers(deps),
      ...upgradeHandlers(deps),
      ...registryHandlers(deps),
      ...secretHandlers(deps),
      ...consoleHandlers(deps),
      ...serverConnectionHandlers(deps),
    },
    options,
  )
  app.notFound(
    async (context) => (await options.page?.(context.req.raw)) ?? noSuchRoute(context.req.method, context.req.path),
  )
  app.onError((error) => {
    const mask = (plain: string) => deps.workloads.masker.mask(plain)
    const { status, text } = toErrorAnswer(error, { logger: deps.logger, mask, isOwner: options.overSocket })
    // A percent-encoded name may hold control characters, but an answer must stay on one line.
    return textResponse(status, text.replaceAll(/\p{Cc}+/gu, '?'))
  })
  return app
}

/**
 * The only exception to the guard: a person may follow a link from another site to the console. The API has no exception.
 */
function pageForVisitor(request: Request, options: AppOptions): Response | undefined {
  const { method, headers, url } = request
  const sign = (name: string) => headers.get(name) ?? undefined
  const isLink = isVisit({
    method,
    origin: sign('origin'),
    secFetchSite: sign('sec-fetch-site'),
    secFetchMode: sign('sec-fetch-mode'),
    secFetchDest: sign('sec-fetch-dest'),
    secPurpose: sign('sec-purpose') ?? sign('purpose'),
  })
  if (!isLink || OF_THE_API.test(new URL(url).pathname)) return undefined
  // All other checks of the guard must pass.
  if (guard(request, options, 'none')) return undefined
  return options.visitPage?.(request)
}

function guard(
  request: Request,
  { allowedHosts }: AppOptions,
  secFetchSite = request.headers.get('sec-fetch-site') ?? undefined,
): Response | undefined {
  const { headers } = request
  const hasBody = Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding')
  const verdict = checkRequest(
    {
      method: request.method,
      host: headers.get('host') ?? new URL(request.url).host,
      origin: headers.get('origin') ?? undefined,
      secFetchSite,
      contentType: headers.get('content-type') ?? undefined,
      hasBody,
    },
    { allowedHosts },
  )
  if (!verdict.ok) return textResponse(verdict.status, verdict.message)
  return undefined
}

/** If a token is required, lets in callers that have it, browsers that are logged in, and requests to log in. */
async function refuseStranger(
  deps: ApiDeps,
  request: HonoRequest,
  { token, overSocket, page }: AppOptions,
): Promise<Response | undefined> {
  if (token === undefined || overSocket) return undefined
  if (isSameText(request.header('authorization') ?? '', `Bearer ${token}`)) return undefined
  if (page && isOfEveryone(request)) return undefined
  if (await isConsole(request.raw, deps.console.logins)) return undefined
  return textResponse(403, 'this daemon requires a token: send the header Authorization: Bearer …')
}

/** The login of a request, if one is required. */
async function endOfLogin(
  { console: { logins } }: ApiDeps,
  request: HonoRequest,
  { token, overSocket }: AppOptions,
): Promise<AbortSignal | undefined> {
  if (token === undefined || overSocket) return undefined
  // A token that is not the API's is for a workload, and the login still counts.
  if (isSameText(request.header('authorization') ?? '', `Bearer ${token}`)) return undefined
  for (const cookie of consoleCookies(request.raw)) {
    const end = await logins.endOf(cookie)
    if (end !== undefined) return end
  }
  return undefined
}

/** The console's files hold no secrets, and a browser needs them to log in. */
function isOfEveryone({ method, path }: HonoRequest): boolean {
  if (path === SESSION_PATH) return method === 'GET' || method === 'POST'
  return (method === 'GET' || method === 'HEAD') && !OF_THE_API.test(path)
}

const OF_THE_API = /^\/(?:api|health)(?:\/|$)/
const SESSION_PATH = consoleRoutes.getConsoleSession.path

/** Compares in constant time. */
function isSameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let at = 0; at < b.length; at += 1) difference |= a.charCodeAt(at % (a.length || 1)) ^ b.charCodeAt(at)
  return difference === 0
}

function noSuchRoute(method: string, path: string): Response {
  const known: readonly RouteDef[] = Object.values(routes)
  const open = known.filter((route) => !route.socketOnly)
  // An exact path takes precedence over one with a parameter.
  const exact = open.filter((route) => route.path === path)
  const found = exact.length > 0 ? exact : open.filter((route) => pattern(route.path).test(path))
  const allowed = found.map((route) => route.method)
  if (allowed.length === 0) return textResponse(404, 'there is no such route; GET /api/openapi.json lists them all')
  const list = [...new Set(allowed)].toSorted().join(', ')
  return textResponse(405, `${method.slice(0, 20)} is not possible here; use ${list}`, { allow: list })
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}
