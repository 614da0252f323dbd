#!/usr/bin/env node
// Plain JavaScript that any Node can read: the program itself needs the Node that the repository brings.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const major = Number(process.versions.node.split('.')[0])
if (major >= 24) {
  // Compiled code of earlier starts. In the user's own folder: in a shared one others could plant code for us to run.
  // It is written when the program ends, so whoever removes everything must do without.
  const { XDG_CACHE_HOME: cache = '' } = process.env
  if (!process.argv.includes('--purge'))
    module.enableCompileCache(join(isAbsolute(cache) ? cache : join(homedir(), '.cache'), 'toolhaven', 'compiled'))
  await import('../src/main.ts')
} else {
  const own = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url))
  if (!existsSync(own)) {
    process.stderr.write(
      `thv needs Node 24 and this is Node ${process.versions.node}.\nRun npm install in the repository: it brings the right one.\n`,
    )
    process.exit(1)
  }
  const result = spawnSync(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exit(result.status ?? 1)
}
