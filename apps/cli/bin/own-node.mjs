import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

/** The repository brings the Node that the program needs; elsewhere the user must. Gives the exit code. */
export async function runOwnNode() {
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
  const child = spawn(own, ['--', ...process.argv.slice(1)], { stdio: 'inherit', env })
  // A terminal sends Ctrl-C to both. Passed on as well, it would be a second one, which ends a program at once.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}
