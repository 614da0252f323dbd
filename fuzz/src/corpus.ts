import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Json } from './target.ts'

/** Larger inputs are not kept in the repository. */
const MOST_BYTES = 16 * 1024

const folderOf = (target: string) => join(import.meta.dirname, '..', 'corpus', target)

/** The inputs that are kept for a target, by file name. */
export async function readCorpus(target: string): Promise<Map<string, Json>> {
  const names = await readdir(folderOf(target)).catch(() => [])
  const inputs = new Map<string, Json>()
  for (const name of names.filter((each) => each.endsWith('.json')).toSorted())
    inputs.set(name, z.json().parse(JSON.parse(await readFile(join(folderOf(target), name), 'utf8'))))
  return inputs
}

/** Keeps an input under a name made from it, so that the same input is kept once. Undefined when it is too large. */
export async function keepInput(target: string, input: Json): Promise<string | undefined> {
  const text = JSON.stringify(input)
  if (text.length > MOST_BYTES) return undefined
  const path = join(folderOf(target), `${createHash('sha256').update(text).digest('hex').slice(0, 12)}.json`)
  await mkdir(folderOf(target), { recursive: true })
  await writeFile(path, `${text}\n`)
  return path
}
