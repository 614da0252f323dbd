import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { bridgePrefix } from '@toolhaven/testing/testbed/bridge'
import { chooseMark, hasMark, processIds } from './mark.ts'

/** Identifies what the tests of a stage leave behind: it is in the folder, mentions the folder, or has the mark. */
export interface Scratch {
  /** The temporary folder of the stage. Its name is short because a unix socket's path has at most 107 bytes. */
  folder: string
  mark: number | undefined
}

export function makeScratch(): Scratch {
  const folder = mkdtempSync(path.join(tmpdir(), 't-'))
  chmodSync(folder, 0o1777)
  return { folder, mark: chooseMark() }
}

/** Describes what is left after the tests, one line each. */
export function leftoversIn(scratch: Scratch): string[] {
  const { folder } = scratch
  if (!existsSync(folder)) return ['nothing, but they removed the temporary folder itself']
  return [
    ...readdirSync(folder).map((name) => `the file or folder ${name} in the temporary folder`),
    ...mountsBelow(folder).map((mount) => `a mount at ${mount}`),
    ...processesOf(scratch).map(({ pid, command }) => `process ${pid}: ${command.slice(0, 300)}`),
    ...bridgesOf(folder).map((name) => `the network bridge ${name}`),
  ]
}

/** The same, once processes that are about to end have ended. */
export async function leftoversAfterAWhile(scratch: Scratch): Promise<string[]> {
  for (let patience = 20; patience > 0 && processesOf(scratch).length > 0; patience--) await delay(250)
  return leftoversIn(scratch)
}

/** Removes the folder and everything that belongs to it, so that one run's fault is not the next one's. */
export function removeScratch(scratch: Scratch): void {
  const { folder } = scratch
  for (const { pid } of processesOf(scratch)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended in the meantime.
    }
  }
  for (const name of bridgesOf(folder)) spawnSync('ip', ['link', 'delete', name])
  for (const mount of mountsBelow(folder).toReversed()) spawnSync('umount', ['--lazy', mount])
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    console.log(`${folder} cannot be removed: ${String(error)}`)
  }
}

function mountsBelow(folder: string): string[] {
  const lines = readText('/proc/self/mountinfo').split('\n')
  return lines.map((line) => line.split(' ')[4] ?? '').filter((mount) => mount.startsWith(`${folder}/`))
}

function bridgesOf(folder: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/sys/class/net').filter((name) => name.startsWith(bridgePrefix(folder)))
}

interface Process {
  pid: number
  command: string
}

function processesOf({ folder, mark }: Scratch): Process[] {
  return (
    processIds()
      .filter((pid) => pid !== process.pid && (hasMark(pid, mark) || mentions(pid, folder)))
      .map((pid) => ({ pid, command: readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }))
      // One that has ended and that its parent has not asked about has no command any more.
      .filter(({ command }) => command !== '')
  )
}

function mentions(pid: number, folder: string): boolean {
  const texts = [readText(`/proc/${pid}/cmdline`), readText(`/proc/${pid}/environ`), workingFolder(pid)]
  return texts.some((text) => text.includes(`${folder}/`) || text.includes(`TMPDIR=${folder}`))
}

function workingFolder(pid: number): string {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`
  } catch {
    return '' // It has ended, or belongs to somebody else.
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // As above.
  }
}
