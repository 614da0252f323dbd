import { once } from 'node:events'
import { isIP } from 'node:net'
import { serveStdio as openStdio } from '@modelcontextprotocol/server/stdio'
import { invalid } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { createPeerCheck } from '../daemon/peer-user.ts'
import { createMcpServer } from './create-mcp-server.ts'
import { serveHttp } from './serve-http.ts'

export interface ServeMcpOptions {
  transport: string
  host: string
  port: number
}

/** Serves until Ctrl-C, or over stdio until the client closes its end. */
export async function serveMcp(context: Context, { transport, host, port }: ServeMcpOptions): Promise<void> {
  const makeServer = () => createMcpServer({ daemon: context.daemon })
  // Reports a daemon that cannot start now, not at the first call.
  await context.daemon()
  if (transport === 'stdio') return serveStdio(makeServer, context.signal)
  if (!isLoopback(host))
    throw invalid(
      `--host ${host}: anyone who reaches this server can control Toolhaven, so it serves 127.0.0.1 or ::1 only`,
    )
  const allowPeer = createPeerCheck(process.platform, process.getuid?.() ?? 0)
  const { addresses, close } = await serveHttp({ host, port, allowPeer, makeServer })
  const [address = { host, port }] = addresses
  context.out.line(
    `Toolhaven is an MCP server at http://${isIP(address.host) === 6 ? `[${address.host}]` : address.host}:${address.port}/mcp`,
  )
  if (context.out.isTerminal) context.out.note('Press Ctrl-C to stop.')
  try {
    if (!context.signal.aborted) await once(context.signal, 'abort')
  } finally {
    await close()
  }
}

async function serveStdio(makeServer: () => ReturnType<typeof createMcpServer>, signal: AbortSignal): Promise<void> {
  const ended = once(process.stdin, 'close', { signal }).catch(() => undefined)
  const connection = openStdio(makeServer)
  await ended
  await connection.close()
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
