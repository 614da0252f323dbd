import type { Socket } from 'node:net'
import * as z from 'zod'
import { startRelay } from './relay.ts'
import { parseArgs } from './parse-args.ts'
import type { TunnelProvider } from './tunnel-provider.ts'

const argsSchema = z.strictObject({ port: z.int().min(0).max(65_535).default(0) })

/** Another port of this machine, to test how clients behave behind a tunnel without leaving the machine. */
export function localProvider(options: { allowPeer: (socket: Socket) => boolean }): TunnelProvider {
  return {
    async open({ target, args }) {
      const { port } = parseArgs(argsSchema, args)
      const relay = await startRelay({ target, port, allowPeer: options.allowPeer })
      return { url: `http://127.0.0.1:${relay.port}`, lost: new Promise(() => {}), close: relay.close }
    },
  }
}
