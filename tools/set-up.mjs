// Runs on Node 20 too: it is what brings Node 24. Keep to plain JavaScript and node: modules.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

const WANTED_MAJOR = 24
const NO_NETWORK = /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ECONNRESET|ENOTCACHED/

/** Brings node_modules in line with the lock file; returns the path of our own Node. Throws a sentence for the user. */
export function setUp() {
  const installed = path.join(root, 'node_modules')
  const stamp = path.join(installed, '.toolhaven-set-up')
  const mark = lockMark()
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== mark) {
    if (!matchesLock(installed)) install()
    writeFileSync(stamp, mark)
  }
  return ownNode(installed)
}

/** The environment in which every `node` that a child starts is ours. */
export function ownEnvironment(node) {
  return { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}` }
}

/** Replaces this process by our Node running `script`; where that cannot be done, stands in for it. */
export function become(node, script, args) {
  const argv = [path.resolve(root, script), ...args]
  if (typeof process.execve === 'function' && process.platform !== 'win32') {
    return process.execve(node, [node, ...argv], ownEnvironment(node))
  }
  const child = spawn(node, argv, { stdio: 'inherit', env: ownEnvironment(node) })
  const forwarded = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT']
  for (const signal of forwarded) {
    // A terminal sends these to the whole group; sending them again would look like a second Ctrl-C.
    const fromTerminal = signal !== 'SIGTERM' && process.stdin.isTTY
    process.on(signal, () => fromTerminal || child.kill(signal))
  }
  child.on('error', (error) => fail(`Node ${WANTED_MAJOR} could not be started: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0)))
}

/** Runs `main`; whatever it throws ends the process with the sentence alone. */
export async function run(main) {
  try {
    await main()
  } catch (error) {
    fail(error.message)
  }
}

function fail(message) {
  console.error(`\n${message}`)
  process.exit(1)
}

function lockMark() {
  const lock = readFileSync(path.join(root, 'package-lock.json'))
  return `${process.platform}-${process.arch} ${createHash('sha256').update(lock).digest('hex')}\n`
}

/** True when npm's own record of what it installed agrees with the lock file, so a hand-made install is not repeated. */
function matchesLock(installed) {
  const record = path.join(installed, '.package-lock.json')
  if (!existsSync(record) || !existsSync(path.join(installed, '.bin', 'node'))) return false
  const have = JSON.parse(readFileSync(record, 'utf8')).packages
  const want = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages
  return Object.entries(want).every(([where, entry]) => {
    if (!where.includes('node_modules/')) return true
    const found = have[where]
    if (found === undefined) return entry.optional === true || entry.devOptional === true || entry.peer === true
    return found.version === entry.version && found.integrity === entry.integrity
  })
}

function install() {
  console.log('Installing the packages of the lock file (npm ci) …')
  const began = Date.now()
  const stopTelling = tellWhileBlocked('still installing packages')
  const npm = process.env.npm_execpath
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'inherit', 'pipe'] }
  const done = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  stopTelling()
  if (done.error) throw new Error(`npm could not be started: ${done.error.message}. Install npm and run this again.`)
  if (done.status !== 0) {
    process.stderr.write(done.stderr)
    throw new Error(
      NO_NETWORK.test(done.stderr)
        ? 'npm could not reach its package registry. Connect this machine (or set npm\'s "registry" or "proxy" configuration) and run this again.'
        : `npm ci failed with exit code ${done.status}; what it said is above.`,
    )
  }
  console.log(`Installed in ${((Date.now() - began) / 1000).toFixed(0)} s.`)
}

const TELL_MS = 5_000

/**
 * npm says nothing for minutes without a terminal, and this process hears nothing until it has ended. So another one tells how
 * long it has taken, and ends with this one at the latest.
 */
export function tellWhileBlocked(what, everyMs = TELL_MS) {
  const program = `
    const [what, everyMs, parent] = process.argv.slice(1)
    const began = Date.now()
    setInterval(() => {
      if (process.ppid !== Number(parent)) process.exit()
      console.log('[' + Math.round((Date.now() - began) / 1000) + ' s] ' + what)
    }, Number(everyMs))`
  const teller = spawn(process.execPath, ['-e', program, '--', what, String(everyMs), String(process.pid)], {
    stdio: ['ignore', 'inherit', 'ignore'],
  })
  // A machine that cannot start it can do without.
  teller.on('error', () => {})
  teller.unref()
  return () => void teller.kill()
}

function ownNode(installed) {
  const own = path.join(installed, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  if (versionOf(own).startsWith(`v${WANTED_MAJOR}.`)) return own
  if (Number(process.versions.node.split('.')[0]) >= WANTED_MAJOR) return process.execPath
  throw new Error(
    `No npm package brings Node ${WANTED_MAJOR} to ${process.platform}-${process.arch}. ` +
      `Install Node ${WANTED_MAJOR} on this machine and run this again.`,
  )
}

function versionOf(node) {
  const answer = spawnSync(node, ['--version'], { encoding: 'utf8' })
  return answer.status === 0 ? answer.stdout.trim() : ''
}
