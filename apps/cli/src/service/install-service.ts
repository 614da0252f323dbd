import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { conflict, unavailable } from '@toolhaven/core/errors'
import { atomicWrite } from '@toolhaven/stores/files/atomic-write'
import type { ServiceManager } from './service-manager.ts'
import type { ServicePlan } from './service-plan.ts'

const START_MS = 60_000

export interface Installed {
  file: string
  /** False if the same file was installed already. */
  changed: boolean
  notes: string[]
}

/** Writes the file, enables and starts the service, and waits until the daemon answers. Can be repeated. */
export async function installService(
  manager: ServiceManager,
  plan: ServicePlan,
  /** Whether the daemon with this process id answers. */
  answers: (pid: number) => Promise<boolean>,
  signal: AbortSignal,
): Promise<Installed> {
  await manager.ensureUsable(signal)
  const text = manager.render(plan)
  const before = await readText(manager.file)
  const changed = before !== text
  if (before !== undefined && !manager.owns(before))
    throw conflict(`${manager.file} starts the daemon of another home folder. Uninstall that service first.`)
  if (changed) {
    await mkdir(dirname(manager.file), { recursive: true })
    await atomicWrite(manager.file, text)
  }
  try {
    await manager.enable(changed, signal)
    await untilAnswers(manager, answers, signal)
  } catch (error) {
    // A service that never worked would fail at every start, so it is removed.
    if (before === undefined) await uninstallService(manager, AbortSignal.timeout(START_MS))
    throw error
  }
  const hint = await manager.startsWithoutLogin(signal)
  return { file: manager.file, changed, notes: [...(hint === undefined ? [] : [hint]), ...secretNotes(plan)] }
}

/** False if no service was installed. Containers keep running, and stored workloads stay. */
export async function uninstallService(manager: ServiceManager, signal: AbortSignal): Promise<boolean> {
  const text = await readText(manager.file)
  if (text === undefined || !manager.owns(text)) return false
  await manager.disable(signal)
  await rm(manager.file, { force: true })
  await manager.forget(signal)
  return true
}

function secretNotes({ leftOut, secretsFile }: ServicePlan): string[] {
  if (leftOut.length === 0) return []
  return [
    `Not written to the service file, because they may hold secrets: ${leftOut.join(', ')}. ` +
      `If the daemon needs them, put them into ${secretsFile} (mode 600), one NAME=value per line.`,
  ]
}

async function untilAnswers(
  manager: ServiceManager,
  answers: (pid: number) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const deadline = AbortSignal.timeout(START_MS)
  for (;;) {
    const { pid, hasFailed } = await manager.state(signal)
    if (pid !== undefined && (await answers(pid))) return
    if (hasFailed) throw unavailable(`the daemon of the service exited\n"${manager.logCommand}" shows why.`)
    if (deadline.aborted)
      throw unavailable(`the service does not answer after ${START_MS / 1000} s\n"${manager.logCommand}" shows why.`)
    await delay(100, undefined, { signal })
  }
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}
