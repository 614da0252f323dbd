import { ExportResultCode, type ExportResult } from '@opentelemetry/core'
import { describeError } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'

interface Exporter<T> {
  export: (items: T, done: (result: ExportResult) => void) => void
}

/** Logs once when a collector stops accepting data, and once when it accepts data again. What was refused is lost. */
export class ExportHealth {
  readonly #logger: Logger
  readonly #facts: { workload: string; endpoint: string }
  readonly #failing = new Set<string>()

  constructor(logger: Logger, facts: { workload: string; endpoint: string }) {
    this.#logger = logger
    this.#facts = facts
  }

  watch<T>(what: 'traces' | 'metrics', exporter: Exporter<T>): void {
    const send = exporter.export.bind(exporter)
    exporter.export = (items, done) =>
      send(items, (result) => {
        this.#note(what, result)
        done(result)
      })
  }

  #note(what: string, { code, error }: ExportResult): void {
    const wasFailing = this.#failing.size > 0
    if (code === ExportResultCode.SUCCESS) this.#failing.delete(what)
    else this.#failing.add(what)
    if (!wasFailing && this.#failing.size > 0) {
      this.#logger.warn('telemetry cannot be delivered and is dropped', {
        ...this.#facts,
        error: describeError(error),
      })
    } else if (wasFailing && this.#failing.size === 0) {
      this.#logger.info('telemetry is delivered again', this.#facts)
    }
  }
}
