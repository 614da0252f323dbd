import { isRunConfig, readRunConfig } from '../import/read-run-config.ts'
import type { ImportSource } from '../import/import-wish.ts'
import { readPasted } from './read-pasted.ts'
import type { RunForm } from './run-form.ts'

/** A larger file is not a configuration, and reading it would only keep the page busy. */
const MOST_BYTES = 1_000_000

export type ReadJson =
  | { kind: 'form'; form: RunForm; left: readonly string[] }
  | { kind: 'import'; source: ImportSource }

/** What clients keep, or what `thv export` wrote. Throws a sentence. */
export function readJson(text: string, file?: string): ReadJson {
  const value = parseJson(text)
  if (isRunConfig(value)) return { kind: 'import', source: { ...readRunConfig(value), file } }
  return { kind: 'form', ...readPasted(value) }
}

export async function textOfFile(file: File): Promise<string> {
  if (file.size > MOST_BYTES)
    throw new Error(`${file.name} is larger than 1 MB, so it is not a server configuration. Choose another file.`)
  return file.text()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('This is not valid JSON. Paste the whole object, with its braces.', { cause: error })
  }
}
