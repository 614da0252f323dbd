import * as z from 'zod'
import { WAITING } from './bounded-server.ts'
import { AllPorts, type WaitingLimits } from './connections.ts'

/** `unlimited` is a string there. */
const report = z.object({ userLimits: z.object({ open_files: z.object({ soft: z.number() }) }) })

/** The other half is for streams, servers, logs and state. */
const SHARE_OF_FILES = 0.5

/** For all ports of this process together. */
export function waitingLimits(openFiles = maxOpenFiles()): WaitingLimits {
  return { ...WAITING, all: new AllPorts(Math.floor(openFiles * SHARE_OF_FILES)) }
}

/** RLIMIT_NOFILE of this process. Node reports it only in its diagnostic report. */
export function maxOpenFiles(): number {
  // Otherwise the report would look up the names of all connected clients.
  Reflect.set(process.report, 'excludeNetwork', true)
  const parsed = report.safeParse(process.report.getReport())
  return parsed.success ? parsed.data.userLimits.open_files.soft : Infinity
}
