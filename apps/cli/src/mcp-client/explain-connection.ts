import { SdkError, SdkErrorCode, SdkHttpError, SseError } from '@modelcontextprotocol/client'
import { printable } from '@toolhaven/contract/visible-text'
import { ThvError, conflict, describeError } from '@toolhaven/core/errors'
import { certificateFault } from '@toolhaven/core/net/not-reached'
import type { McpTarget } from './target.ts'

type Told = readonly [what: string, next: string]

/** Why the connection to a server failed, in words that do not come from a library, and what to do next. */
export function explainConnection(target: McpTarget, failure: string, error: unknown): ThvError {
  const { name, url } = target
  const status = statusOf(error)
  if (status === 401 || status === 403)
    return new ThvError('forbidden', `${name} asks who calls (${status}); "thv run ${url.href}" runs it with a login`, {
      cause: error,
    })
  const [what, next] =
    toldOfStatus(url, status, error) ??
    toldOfNetwork(url, causesOf(error)) ??
    (isForeignAnswer(error)
      ? (['it does not answer as an MCP server does', whereServersAre(url)] satisfies Told)
      : ([
          withoutPrefix(describeError(error)),
          `Is ${url.origin} an MCP server? --transport says how to speak to it.`,
        ] satisfies Told))
  return conflict(`${printable(`${name} ${failure}: ${what}`.slice(0, 500))}\n${printable(next)}`, error)
}

const whereServersAre = ({ href }: URL) =>
  `Check the path of ${href}; the address of a workload, which "thv list" shows, ends in /mcp or /sse.`

function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status
  return error instanceof SseError ? error.code : undefined
}

function toldOfStatus(url: URL, status: number | undefined, error: unknown): Told | undefined {
  if (status === undefined || status < 300) return undefined
  const answered = `it answered ${status}`
  if (status === 429) return [`${answered}, because it was asked too often`, 'Try again later.']
  if (status >= 500)
    return [answered, `The server at ${url.origin}, or a proxy before it, has a fault. Look at its log.`]
  if (status >= 400) return [answered, whereServersAre(url)]
  const [place] = /https?:\/\/[^\s;]+/.exec(describeError(error)) ?? []
  return place === undefined
    ? [`${answered}, a redirect`, `Check the path of ${url.href}.`]
    : ['it redirects to another address', `If you trust that address, use it: ${place}`]
}

/** Explanations for the error codes of Node and its HTTP library. */
const UNREACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at that address',
  ENOTFOUND: 'there is no host with that name',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'no way leads to that host',
  ENETUNREACH: 'no way leads to that host',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not answer in time',
}

function toldOfNetwork(url: URL, causes: readonly Error[]): Told | undefined {
  // `fetch` never connects to these, and so do browsers.
  if (causes.some(({ message }) => /\bbad port$/.test(message)))
    return [`port ${url.port} belongs to another protocol, so HTTP clients do not connect to it`, 'Check the port.']
  const codes = causes.flatMap(codesOf)
  const untrusted = codes.map(certificateFault).find((words) => words !== undefined)
  if (untrusted !== undefined)
    return [
      untrusted,
      `If you trust ${url.host}, set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority.`,
    ]
  if (codes.some((code) => code.startsWith('ERR_SSL') || code === 'EPROTO'))
    return ['it does not speak TLS', `Without TLS, the address begins with http:// in place of https://.`]
  const reason = codes.map((code) => UNREACHED[code]).find((words) => words !== undefined)
  return reason === undefined ? undefined : [reason, `Check the address, and that the server runs: ${url.href}`]
}

/** A stream's error has only the text of its cause. */
const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/self-signed certificate|unable to verify/, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  [/certificate has expired/, 'CERT_HAS_EXPIRED'],
  [/does not match certificate/, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [/SSL routines/, 'EPROTO'],
  [/other side closed|terminated$/, 'ECONNRESET'],
]

function codesOf(cause: Error): readonly string[] {
  const own = 'code' in cause && typeof cause.code === 'string' ? [cause.code] : []
  const told = IN_TEXT.filter(([text]) => text.test(cause.message)).map(([, code]) => code)
  return [...own, ...told, ...(cause.message.match(/\bE[A-Z_]{4,}\b/g) ?? [])]
}

/** The connection error is the cause of the library's error, or the cause of that cause. */
function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}

/** The body of a page, or JSON of another kind. */
function isForeignAnswer(error: unknown): boolean {
  if (error instanceof SseError) return true
  return causesOf(error).some(
    (cause) =>
      cause.name === 'ZodError' ||
      cause instanceof SyntaxError ||
      (cause instanceof SdkError && cause.code === SdkErrorCode.ClientHttpUnexpectedContent),
  )
}

const withoutPrefix = (text: string) => text.replace(/^Version negotiation (?:probe )?failed: /, '')
