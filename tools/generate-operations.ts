import { readFile, writeFile } from 'node:fs/promises'
import { routes } from '@toolhaven/contract/routes'

/**
 * Writes method and path of every operation as a plain table: the command talks to the daemon with it, so that
 * `thv list` need not load and build every schema of the contract first. With --check, fails when it is stale.
 */
const target = new URL('../apps/cli/src/connect/generated/operations.ts', import.meta.url)
const rows = Object.entries(routes).map(([id, { method, path }]) => `  ${id}: ['${method}', '${path}'],`)
const text = `// Written by tools/generate-operations.ts; do not edit.
import type { OperationId } from '@toolhaven/contract/routes'

export const OPERATIONS: Readonly<Record<OperationId, readonly [method: string, path: string]>> = {
${rows.join('\n')}
}
`

if (process.argv.includes('--check')) {
  const current = await readFile(target, 'utf8').catch(() => '')
  if (current !== text) {
    process.stderr.write('apps/cli/src/connect/generated/operations.ts is stale: run npm run generate\n')
    process.exitCode = 1
  }
} else {
  await writeFile(target, text)
}
