import { setTimeout as pause } from 'node:timers/promises'

interface ServeOptions<Site> {
  port: number
  /** Rejects with EADDRINUSE while the port is taken. */
  serve: () => Promise<Site>
  patienceMs?: number
}

/** An earlier daemon may take this long to hand over; its documentation ends with it. */
const PATIENCE_MS = 60_000

/**
 * Serves the documentation. When that of an earlier `npm start` has the port, waits until it has ended: the new daemon
 * has taken over from its daemon. Any other program on the port is an error at once.
 */
export async function serveAfterEarlier<Site>(options: ServeOptions<Site>): Promise<Site> {
  const { port, serve, patienceMs = PATIENCE_MS } = options
  for (const deadline = Date.now() + patienceMs; ; await pause(200)) {
    try {
      return await serve()
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!isTaken || Date.now() > deadline || !(await mayBeOurs(port))) throw error
    }
  }
}

/** Nobody answering any more is a site that is about to be gone. */
async function mayBeOurs(port: number): Promise<boolean> {
  try {
    const page = await fetch(`http://localhost:${port}/`, { signal: AbortSignal.timeout(2_000) })
    return (await page.text()).includes('Toolhaven')
  } catch (error) {
    return !(error instanceof Error && error.name === 'TimeoutError')
  }
}
