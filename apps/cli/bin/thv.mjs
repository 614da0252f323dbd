#!/usr/bin/env -S node --
// The dashes: Node takes --env-file for itself wherever it stands, and it is a flag of `thv run`.
// Plain JavaScript that any Node can read, and nothing at the top that a start does not need.
import module from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

const major = Number(process.versions.node.split('.')[0])
if (major >= 24) {
  // Compiled code of earlier starts. In the user's own folder: in a shared one others could plant code for us to run.
  // It is written when the program ends, so whoever removes everything must do without.
  const { XDG_CACHE_HOME: cache = '' } = process.env
  const folder = join(isAbsolute(cache) ? cache : join(homedir(), '.cache'), 'toolhaven', 'compiled')
  // Node would try forever to make a folder in /proc.
  if (!process.argv.includes('--purge') && !folder.startsWith('/proc/')) module.enableCompileCache(folder)
  await import('../src/main.ts')
} else {
  const { runOwnNode } = await import('./own-node.mjs')
  process.exit(await runOwnNode())
}
