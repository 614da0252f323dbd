import * as z from 'zod'
import type { UpdateRequest } from '@toolhaven/contract/workload-request'
import { isNameOfSecret } from '../run/run-form.ts'

/** What puts back the configuration before the last change that was made here. */
export interface Undo {
  /** The revision since that change. If it differs now, nothing can be restored. */
  revision: string
  /** Undefined if a removed value was a secret, which cannot be read back. */
  update?: UpdateRequest | undefined
}

/** Of this tab alone, so that a reload does not lose the way back. Whether it still fits, the revision says. */
const keyOf = (server: string) => `toolhaven.undo.${server}`

/** The daemon checks it again when it is made. */
const update = z.custom<UpdateRequest>((value) => typeof value === 'object' && value !== null)
const keptUndo = z.object({ revision: z.string(), update: update.optional() })

export function keepUndo(server: string, undo: Undo | null): void {
  if (undo === null || holdsKeys(undo.update)) sessionStorage.removeItem(keyOf(server))
  else sessionStorage.setItem(keyOf(server), JSON.stringify(undo))
}

export function keptUndoOf(server: string): Undo | null {
  const text = sessionStorage.getItem(keyOf(server))
  if (text === null) return null
  try {
    return keptUndo.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Browsers may write what a tab keeps to the disk: values that look like keys are not for it. */
function holdsKeys({ env_vars: variables, headers }: UpdateRequest = {}): boolean {
  return [...Object.keys(variables ?? {}), ...Object.keys(headers ?? {})].some(isNameOfSecret)
}
