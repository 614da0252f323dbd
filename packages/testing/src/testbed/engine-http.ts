import { createReadStream } from 'node:fs'
import { request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import { Readable } from 'node:stream'

/** One call to an engine's socket for the setup of a test, apart from the adapters' own client, which is under test. */
export async function engineHttp(
  socketPath: string,
  method: string,
  path: string,
  body?: { file: string } | { bytes: Buffer } | { json: unknown },
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string }> {
  const type = body !== undefined && 'json' in body ? 'application/json' : 'application/x-tar'
  const call = request({
    socketPath,
    method,
    path,
    agent: false,
    headers: { host: 'engine', ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
  })
  const answered = new Promise<{ status: number; text: string }>((resolve, reject) => {
    call.on('error', reject)
    call.on('response', (response) => {
      text(response).then((content) => resolve({ status: response.statusCode ?? 0, text: content }), reject)
    })
  })
  if (body === undefined) call.end()
  else await Promise.all([pipeline(bodyStream(body), call), answered])
  return answered
}

/** Throws unless the engine succeeded. Errors inside a stream of progress count. */
export async function engineMust(...call: Parameters<typeof engineHttp>): Promise<string> {
  const answer = await engineHttp(...call)
  if (answer.status >= 400 || /"error(?:Detail)?":/.test(answer.text)) {
    throw new Error(`${call[1]} ${call[2]} answered ${answer.status}: ${answer.text.slice(-1500)}`)
  }
  return answer.text
}

export async function answersPing(socketPath: string): Promise<boolean> {
  return engineHttp(socketPath, 'GET', '/_ping').then(
    ({ status }) => status === 200,
    () => false,
  )
}

function bodyStream(body: { file: string } | { bytes: Buffer } | { json: unknown }): Readable {
  if ('file' in body) return createReadStream(body.file)
  return Readable.from(['bytes' in body ? body.bytes : Buffer.from(JSON.stringify(body.json))], { objectMode: false })
}
