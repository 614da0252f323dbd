/**
 * Runs a program whose names are looked up at one address: `node with-resolver.ts FOLDER ADDRESS PROGRAM…` mounts its
 * own file over /etc/resolv.conf, for this program alone.
 */
import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [folder = '', ...rest] = process.argv.slice(2)
const own = fileURLToPath(import.meta.url)

if (folder === '--inside') {
  const [file = '', ...program] = rest
  execFileSync('mount', ['--bind', file, '/etc/resolv.conf'])
  follow(spawn(process.execPath, program, { stdio: 'inherit' }))
} else {
  const [address, ...program] = rest
  const file = join(folder, 'resolv.conf')
  writeFileSync(file, `nameserver ${address}\noptions timeout:1 attempts:1\n`)
  follow(spawn('unshare', ['--mount', process.execPath, own, '--inside', file, ...program], { stdio: 'inherit' }))
}

/** Whoever ends this process wants to end the one inside. */
function follow(child: ReturnType<typeof spawn>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => process.exit(code ?? 1))
}
