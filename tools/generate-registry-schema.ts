import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { registryDocument } from '@toolhaven/contract/registry-document'
import * as z from 'zod'

/** Writes the JSON Schema of the registry format; with --check, fails when the committed one is stale. */
const target = new URL('../packages/contract/generated/registry.schema.json', import.meta.url)
const schema = z.toJSONSchema(registryDocument, { target: 'draft-2020-12', io: 'input' })
const described = {
  ...schema,
  title: 'Toolhaven registry',
  description: 'The file format of a registry of MCP servers',
}
const text = `${JSON.stringify(described, null, 2)}\n`

if (process.argv.includes('--check')) {
  const current = await readFile(target, 'utf8').catch(() => '')
  if (current !== text) {
    process.stderr.write('packages/contract/generated/registry.schema.json is stale: run npm run generate\n')
    process.exitCode = 1
  }
} else {
  await mkdir(new URL('.', target), { recursive: true })
  await writeFile(target, text)
}
