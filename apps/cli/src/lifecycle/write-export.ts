import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ThvError, describeError } from '@toolhaven/core/errors'

/** Readable for its owner alone: environment variables are in it. */
export async function writeExport(cwd: string, file: string, text: string): Promise<void> {
  const path = resolve(cwd, file)
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { mode: 0o600 })
  } catch (error) {
    throw new ThvError('forbidden', `the file cannot be written; choose another place: ${describeError(error)}`, {
      cause: error,
    })
  }
}
