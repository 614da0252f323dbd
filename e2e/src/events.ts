import { type WorkloadEvent, workloadEvent } from '@toolhaven/contract/events'
import type { DaemonProcess } from './daemon-process.ts'

export interface EventWatch extends Disposable {
  /** The first matching event among those since the watch began that were not looked at yet. */
  next: (isIt: (event: WorkloadEvent) => boolean) => Promise<WorkloadEvent>
}

/** Follows the daemon's stream of events. The stream is open when this returns. */
export async function watchEvents(daemon: DaemonProcess): Promise<EventWatch> {
  const controller = new AbortController()
  const response = await daemon.api.open('streamEvents', {}, controller.signal)
  const events = parseEvents(response)
  return {
    next: async (isIt) => {
      for (;;) {
        const { value, done } = await events.next()
        if (done) throw new Error('the stream of events ended')
        if (isIt(value)) return value
      }
    },
    [Symbol.dispose]: () => controller.abort(),
  }
}

async function* parseEvents(response: Response): AsyncGenerator<WorkloadEvent> {
  if (!response.body) throw new Error('the stream of events has no body')
  let rest = ''
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^event: workload\ndata: ?(.*)$/m.exec(block)?.[1]
      if (data) yield workloadEvent.parse(JSON.parse(data))
    }
  }
}
