import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createSearchHandler } from '@toolhaven/search/create-search-handler'
import * as z from 'zod'

/** Left in the build by site/publish-plugin.ts; without `search`, the site asks a provider. */
const builtWith = z.object({
  search: z.object({ indexName: z.string(), appId: z.string(), apiKey: z.string() }).optional(),
})

/** The embedded search over the records that the build left; undefined when the site was built for another one. */
export async function openSearch(folder: string): Promise<((request: Request) => Promise<Response>) | undefined> {
  const read = async (name: string) => JSON.parse(await readFile(path.join(folder, name), 'utf8'))
  const { search } = builtWith.parse(await read('.site.json'))
  return search === undefined ? undefined : createSearchHandler({ ...search, records: await read('.records.json') })
}
