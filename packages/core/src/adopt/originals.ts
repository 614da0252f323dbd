import { describeError, notFound } from '../errors.ts'
import type { StoredAdoption } from '../ports/foreign-entries.ts'
import type { AdoptDeps } from './adopt-deps.ts'

/** The original texts of the entries, in the order of the record. */
export async function readOriginals(
  { secrets }: Pick<AdoptDeps, 'secrets'>,
  record: StoredAdoption,
): Promise<string[]> {
  if ('texts' in record.originals) return record.originals.texts
  const key = record.originals.secret
  const text = await secrets.read(key).catch((error: unknown) => {
    throw notFound(
      `the original entries of ${record.name} cannot be read from the secret ${key} (${describeError(error)}); without it they cannot be restored`,
      error,
    )
  })
  const parsed: unknown = JSON.parse(text)
  return Array.isArray(parsed) ? parsed.map(String) : []
}

/** Stores the texts where they were stored before. */
export async function writeOriginals(
  { secrets }: Pick<AdoptDeps, 'secrets'>,
  record: StoredAdoption,
  texts: readonly string[],
): Promise<StoredAdoption> {
  if ('texts' in record.originals) return { ...record, originals: { texts: [...texts] } }
  await secrets.store(record.originals.secret, JSON.stringify(texts))
  return record
}
