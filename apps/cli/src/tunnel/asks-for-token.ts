import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { describeError, unavailable } from '@toolhaven/core/errors'

const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'toolhaven', version: '0.1.0' } },
})

/** Whether a server refuses callers without a token. Found out with a request that has none. */
export function asksForToken(url: URL, signal: AbortSignal): Promise<boolean> {
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest
  const isSse = url.pathname.endsWith('/sse')
  return new Promise((resolve, reject) => {
    const call = start(url, {
      method: isSse ? 'GET' : 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        ...(!isSse && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(HELLO) }),
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
    })
    call.once('response', (response) => {
      resolve(response.statusCode === 401)
      response.destroy()
    })
    call.once('error', (error) =>
      reject(signal.aborted ? error : unavailable(`${url.href} does not answer: ${describeError(error)}`, error)),
    )
    call.end(isSse ? undefined : HELLO)
  })
}
