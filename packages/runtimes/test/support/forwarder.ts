import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const FOLDER = fileURLToPath(new URL('../../forwarder/', import.meta.url))

/** Builds the forwarder as it is shipped, but with every warning as an error. */
export async function compileForwarder(target: string): Promise<void> {
  const parts = (await readdir(FOLDER)).filter((name) => name.endsWith('.c'))
  await run('cc', ['-O2', '-Wall', '-Wextra', '-Werror', '-static', '-o', target, ...parts], { cwd: FOLDER })
}
