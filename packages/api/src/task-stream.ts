import type { ApiDeps } from './api-deps.ts'
import { eventStream } from './event-stream.ts'
import { toErrorAnswer } from './http-errors.ts'

/**
 * Runs work for as long as a client follows its stream. Each report is an event, and so is a failure. The work is cancelled when
 * the client disconnects or the daemon ends.
 */
export function taskStream(
  deps: Pick<ApiDeps, 'logger' | 'shutdown' | 'workloads'>,
  signal: AbortSignal,
  work: (report: (event: object) => void, signal: AbortSignal) => Promise<void>,
): Response {
  const limit = AbortSignal.any([signal, deps.shutdown])
  const finished = new AbortController()
  return eventStream(AbortSignal.any([limit, finished.signal]), (send) => {
    const left = new AbortController()
    const mask = (text: string) => deps.workloads.masker.mask(text)
    const report = (event: object) => send('task', mask(JSON.stringify(event)))
    const calledOff = AbortSignal.any([limit, left.signal])
    const run = async () => {
      try {
        await work(report, calledOff)
      } catch (error) {
        if (calledOff.aborted) return
        const { status, text } = toErrorAnswer(error, { logger: deps.logger, mask, isOwner: false })
        report({ state: 'failed', status, message: text })
      }
    }
    void run().finally(() => finished.abort())
    return () => left.abort(new Error('nobody follows it any more'))
  })
}
