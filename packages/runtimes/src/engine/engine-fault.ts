import { invalid, notFound, type ThvError } from '@toolhaven/core/errors'

/** An error answer of the engine, before it is known what it means to the caller. It never leaves the adapter. */
export class EngineFault extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'EngineFault'
    this.status = status
  }
}

export function hasStatus(error: unknown, ...statuses: number[]): error is EngineFault {
  return error instanceof EngineFault && statuses.includes(error.status)
}

/** The engine's refusal as an error for people. Other errors pass through unchanged. */
export function refusal(what: string, error: unknown): unknown {
  if (!(error instanceof EngineFault)) return error
  return refusalOf(what, error)
}

function refusalOf(what: string, fault: EngineFault): ThvError {
  const message = `The engine refused to ${what}: ${oneLine(fault.message)}`
  return fault.status === 404 ? notFound(message, fault) : invalid(message, fault)
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
