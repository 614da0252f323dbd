import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The repository brings the Node that the program needs; elsewhere the user must. Gives the exit code. */
export function runOwnNode() {
  const own = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url))
  // In somebody else's project the Node of that name may be as old as this one.
  const isTried = process.env.THV_OWN_NODE === own
  if (isTried || !existsSync(own)) {
    process.stderr.write(
      `thv: Node 24 or newer is needed, and this is Node ${process.versions.node}.\n` +
        'Install a newer one; in the repository, "npm install" brings it.\n',
    )
    return 1
  }
  const env = { ...process.env, THV_OWN_NODE: own }
  return spawnSync(own, ['--', ...process.argv.slice(1)], { stdio: 'inherit', env }).status ?? 1
}
