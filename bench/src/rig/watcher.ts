import { createInterface } from 'node:readline'
import { childrenOf } from './proc.ts'

/** Runs beside the bench, which tells it what it starts (`+PID`) and what has ended (`-PID`). Ends the rest when the bench ends. */
const running = new Set<number>()

for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1))
  if (line.startsWith('+')) running.add(pid)
  else running.delete(pid)
}
// Finds all of them before it ends the first one: then its children would have another parent.
for (const pid of [...running].flatMap(treeOf)) end(pid)

function treeOf(pid: number): number[] {
  return [pid, ...orNone(() => childrenOf(pid)).flatMap(treeOf)]
}

/** A process may end while it is inspected. */
function orNone(look: () => number[]): number[] {
  try {
    return look()
  } catch {
    return []
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
