import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { listen } from '../endpoint/listen.ts'

/** The outcome of a callback. The person at the browser reads it. */
export type CallbackOutcome = { ok: true } | { ok: false; message: string }
export type OnCallback = (params: URLSearchParams) => Promise<CallbackOutcome>

interface Listener {
  server: Server
  port: number
  /** By `state`, which nobody else knows. */
  waiting: Map<string, OnCallback>
}

const HOST = '127.0.0.1'
const PATH = '/callback'

/**
 * Receives browsers that come back from a login: on the loopback address only, and only while a login is waiting.
 * Several logins may share a port, because each has its own state.
 */
export class CallbackListeners {
  readonly #byPort = new Map<number, Promise<Listener>>()
  readonly #allowPeer: (socket: Socket) => boolean

  constructor(allowPeer: (socket: Socket) => boolean) {
    this.#allowPeer = allowPeer
  }

  /** Opens the given port, or any, and returns the address that leads to it. */
  async open(port: number | undefined): Promise<{ redirectUri: string; port: number }> {
    const opening = (port === undefined ? undefined : this.#byPort.get(port)) ?? start(port ?? 0, this.#allowPeer)
    if (port !== undefined) this.#byPort.set(port, opening)
    try {
      const listener = await opening
      this.#byPort.set(listener.port, opening)
      return { redirectUri: `http://${HOST}:${listener.port}${PATH}`, port: listener.port }
    } catch (error) {
      if (port !== undefined) this.#byPort.delete(port)
      throw error
    }
  }

  /** Calls back once with the parameters of the browser that brings this state. */
  async wait(port: number, state: string, onCallback: OnCallback): Promise<void> {
    const listener = await this.#byPort.get(port)
    listener?.waiting.set(state, onCallback)
  }

  /** Stops waiting for this state. Closes the port when no other login waits there. */
  async release(port: number, state: string | undefined): Promise<void> {
    const listener = await this.#byPort.get(port)
    if (listener === undefined) return
    if (state !== undefined) listener.waiting.delete(state)
    if (listener.waiting.size > 0) return
    this.#byPort.delete(port)
    // Not awaited: the answer to the last browser may still be on its way.
    listener.server.close()
  }
}

async function start(port: number, allowPeer: (socket: Socket) => boolean): Promise<Listener> {
  const waiting: Listener['waiting'] = new Map()
  const server = createServer({ maxHeaderSize: 16 * 1024, keepAliveTimeout: 1 }, (request, response) => {
    // The state is not secret on this machine: the browser gets it as an argument, and all users can list processes.
    if (!allowPeer(request.socket)) return send(response, 403, 'This login belongs to another user of this machine.')
    answer(waiting, request, response).catch(() => send(response, 500, 'The login failed. Try again.'))
  })
  await listen(server, HOST, port)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return { server, waiting, port: address.port }
}

async function answer(waiting: Listener['waiting'], request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = URL.parse(request.url ?? '', `http://${HOST}`)
  const isHere = request.headers.host === `${HOST}:${request.socket.localPort}`
  if (request.method !== 'GET' || url?.pathname !== PATH || !isHere)
    return send(response, 404, 'There is nothing here.')
  const state = url.searchParams.get('state') ?? ''
  const onCallback = waiting.get(state)
  if (onCallback === undefined)
    return send(
      response,
      400,
      'This login has expired or is already done. Open the address that Toolhaven shows again.',
    )
  waiting.delete(state)
  const outcome = await onCallback(url.searchParams)
  if (outcome.ok) send(response, 200, 'You are logged in. You can close this window.')
  else send(response, 400, `The login failed: ${outcome.message}. Toolhaven shows a new address to try again.`)
}

function send(response: ServerResponse, status: number, message: string): void {
  const text = message.replaceAll(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`)
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(`<!doctype html><html lang="en"><title>Toolhaven</title><p>${text}</p></html>\n`)
}
