import { readEvents, type ServerSentEvent } from '../live/read-events.ts'

/** Many lines of a moment are drawn once. */
const MOMENT_MS = 50

/** Gives what `parse` makes of the events of a stream, all of a moment at once, until the signal ends it. */
export async function readBatches<Line>(
  response: Response,
  parse: (event: ServerSentEvent) => Line | undefined,
  give: (lines: readonly Line[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let waiting: Line[] = []
  for await (const event of readEvents(response)) {
    const line = parse(event)
    if (line === undefined) continue
    waiting.push(line)
    if (waiting.length > 1) continue
    setTimeout(() => {
      const added = waiting
      waiting = []
      if (!signal.aborted) give(added)
    }, MOMENT_MS)
  }
}
