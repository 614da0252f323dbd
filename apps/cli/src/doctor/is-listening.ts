import { connect } from 'node:net'

const PATIENCE_MS = 2_000

/** Whether a program accepts connections at the address. */
export function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  // A URL drops the default port of its scheme.
  const number = Number(port || 80)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replaceAll(/[[\]]/g, ''), port: number })
    const end = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.setTimeout(PATIENCE_MS, () => end(false))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
