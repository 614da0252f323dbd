/** The daemon did not answer at all. */
export class DaemonAway extends Error {
  constructor(cause: unknown) {
    super('Toolhaven does not answer. Start it with “thv serve”.', { cause })
    this.name = 'DaemonAway'
  }
}

export function askDaemon(request: Request): Promise<Response> {
  return fetch(request).catch((error: unknown) => {
    throw request.signal.aborted ? error : new DaemonAway(error)
  })
}
