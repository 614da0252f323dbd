import { readFile, writeFile, mkdir } from 'node:fs/promises'
import { buildOpenApi } from '@toolhaven/contract/openapi'

/** Writes the OpenAPI document from the route table; with --check, fails when the committed one is stale. */
const target = new URL('../packages/contract/generated/openapi.json', import.meta.url)
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
const text = JSON.stringify(buildOpenApi(String(version)), null, 2) + '\n'

if (process.argv.includes('--check')) {
  const current = await readFile(target, 'utf8').catch(() => '')
  if (current !== text) {
    process.stderr.write('packages/contract/generated/openapi.json is stale: run npm run generate\n')
    process.exitCode = 1
  }
} else {
  await mkdir(new URL('.', target), { recursive: true })
  await writeFile(target, text)
}
