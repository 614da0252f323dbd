import type { Confinement } from '@toolhaven/contract/isolation'
import { conflict } from '../errors.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { WorkloadBook } from './book.ts'

export interface IsolationDeps {
  book: WorkloadBook
  runtime: Runtime
}

/** What confines the workload right now, as seen from outside it. */
export async function getIsolation(
  { book, runtime }: IsolationDeps,
  name: string,
  signal: AbortSignal,
): Promise<Confinement> {
  const { stored, observed } = book.get(name)
  if (stored.config.remote_url !== undefined) throw conflict(`${name} is a remote server: nothing of it runs here`)
  const found = observed.handle && (await runtime.confinement?.(observed.handle, signal))
  if (!found) throw conflict(`${name} does not run now; "thv restart ${name}" starts it`)
  return found
}
