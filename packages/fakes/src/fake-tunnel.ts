import { conflict } from '@toolhaven/core/errors'
import type { OpenTunnel } from '@toolhaven/core/ports/tunnel'

/** Port 1 is always taken. */
export const openFakeTunnel: OpenTunnel = async ({ ports }) => {
  if (ports.includes(1)) throw conflict('Port 1 on 127.0.0.1 is taken; free it or choose another port.')
  return {
    preload: '',
    connect: () => undefined,
    ready: Promise.resolve(),
    ended: new Promise(() => undefined),
    [Symbol.asyncDispose]: async () => undefined,
  }
}
