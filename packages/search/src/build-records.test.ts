import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { buildRecords } from './build-records.ts'

it('reads every page of a build but the one for unknown addresses, and names it by its folder where the page does not say its address', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'search-'))
  try {
    for (const name of ['', 'guides/install', 'faq']) {
      await mkdir(join(folder, name), { recursive: true })
      await writeFile(join(folder, name, 'index.html'), `<main><h1>Page ${name}</h1></main>`)
    }
    await writeFile(join(folder, '404.html'), '<main><h1>Lost</h1></main>')
    expect((await buildRecords(folder)).map(({ url }) => url)).toEqual(['/faq', '/guides/install', '/'])
  } finally {
    await rm(folder, { recursive: true })
  }
})
