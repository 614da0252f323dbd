import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Sighting } from '@toolhaven/core/ports/egress'
import { Blocked, Unlisted } from './dial.ts'

export function outcomeOf(error: unknown): Sighting['outcome'] {
  if (error instanceof Unlisted) return 'unlisted'
  return error instanceof Blocked ? 'refused' : 'unreachable'
}

export function statusOf(error: unknown): number {
  return error instanceof Blocked ? 403 : 502
}

export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return error instanceof Blocked ? `blocked: ${text}` : text
}

export function answer(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`)
}

export function refuse(socket: Duplex, status: number, text: string): void {
  if (socket.destroyed || !socket.writable) return void socket.destroy()
  const body = `${text}\n`
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
