import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { bridgePrefix } from '@toolhaven/testing/testbed/bridge'

/**
 * The temporary folder of one stage. Everything that a test leaves behind is found in it, or mentions it.
 * Its name is short because a unix socket's path has at most 107 bytes.
 */
export function makeScratch(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 't-'))
  chmodSync(folder, 0o1777)
  return folder
}

/** What is still there after the tests, one line each. */
export function leftoversIn(scratch: string): string[] {
  if (!existsSync(scratch)) return ['nothing, but they removed the temporary folder itself']
  return [
    ...readdirSync(scratch).map((name) => `the file or folder ${name} in the temporary folder`),
    ...mountsBelow(scratch).map((mount) => `a mount at ${mount}`),
    ...processesOf(scratch).map(({ pid, command }) => `process ${pid}: ${command.slice(0, 300)}`),
    ...bridgesOf(scratch).map((name) => `the network bridge ${name}`),
  ]
}

/** Removes the folder and everything that belongs to it, so that one run's fault is not the next one's. */
export function removeScratch(scratch: string): void {
  for (const { pid } of processesOf(scratch)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
  for (const name of bridgesOf(scratch)) spawnSync('ip', ['link', 'delete', name])
  for (const mount of mountsBelow(scratch).toReversed()) spawnSync('umount', ['--lazy', mount])
  try {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    console.log(`${scratch} cannot be removed: ${String(error)}`)
  }
}

function mountsBelow(folder: string): string[] {
  const lines = readText('/proc/self/mountinfo').split('\n')
  return lines.map((line) => line.split(' ')[4] ?? '').filter((mount) => mount.startsWith(`${folder}/`))
}

function bridgesOf(scratch: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/sys/class/net').filter((name) => name.startsWith(bridgePrefix(scratch)))
}

interface Process {
  pid: number
  command: string
}

function processesOf(folder: string): Process[] {
  if (process.platform !== 'linux') return []
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids
    .filter((pid) => pid !== process.pid && mentions(pid, folder))
    .map((pid) => ({ pid, command: readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }))
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
