import { readFile, writeFile } from 'node:fs/promises'
import { invalid } from '@toolhaven/core/errors'

/**
 * One file with the certificates of all given files and the text, for tools that accept a single file. Undefined when
 * there is nothing to add to.
 */
export async function bundleCertificates(
  path: string,
  files: readonly (string | undefined)[],
  extra: string | undefined,
): Promise<string | undefined> {
  const texts: string[] = []
  for (const file of files) {
    if (file === undefined) continue
    texts.push(
      await readFile(file, 'utf8').catch((error: unknown) => {
        throw invalid(`The certificate file ${file} cannot be read. Correct the setting that names it.`, error)
      }),
    )
  }
  if (extra !== undefined) texts.push(extra)
  if (texts.length === 0) return undefined
  await writeFile(path, texts.join('\n'), { mode: 0o644 })
  return path
}
