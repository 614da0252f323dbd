import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WATCHER = fileURLToPath(new URL('watcher.ts', import.meta.url))

let watcher: ChildProcess | undefined

/**
 * Ends the program, and what it started, if the bench is killed. A killed process can do nothing itself, so another one
 * waits for the end of a pipe that only the bench holds.
 */
export function endWithBench(child: ChildProcess): void {
  if (child.pid === undefined) return
  const { stdin } = (watcher ??= startWatcher())
  stdin?.write(`+${child.pid}\n`)
  child.once('exit', () => stdin?.write(`-${child.pid}\n`))
}

/** In its own group, where Ctrl-C does not reach it. It does not keep the bench running. */
function startWatcher(): ChildProcess {
  const started = spawn(process.execPath, [WATCHER], { stdio: ['pipe', 'ignore', 'inherit'], detached: true })
  started.unref()
  started.stdin.on('error', () => {})
  if ('unref' in started.stdin && typeof started.stdin.unref === 'function') started.stdin.unref()
  return started
}
