import type { UpgradeRequest, UpgradeResult } from '@toolhaven/contract/upgrades'
import { conflict, describeError, unavailable } from '../errors.ts'
import type { StoredWorkload } from '../ports/stores.ts'
import { changesOf } from '../tools/tool-difference.ts'
import { visibleText } from '@toolhaven/contract/visible-text'
import { revisionOf } from '../workloads/config/revision.ts'
import { timestamp } from '../workloads/config/timestamp.ts'
import { editWorkload } from '../workloads/operations/edit.ts'
import { leaveDeletedGroup } from '../workloads/operations/move.ts'
import { untilRunning } from '../workloads/operations/wait-for-status.ts'
import { noteInLog } from '../workloads/running/last-words.ts'
import { goneBack, isUnderWay, withoutUpgrade } from './before-upgrade.ts'
import { findFor, listUpgrades, planUpgrade, updateOf } from './look.ts'
import type { UpgradesDeps } from './upgrades-deps.ts'

/** Long enough for a large image over a slow line. */
const START_LIMIT_MS = 30 * 60_000
const BACK_LIMIT_MS = 2 * 60_000

/** Upgrades workloads, and goes back if the new version does not start. Finishes upgrades that a previous daemon began. */
export class Upgrades {
  readonly #deps: UpgradesDeps
  readonly #busy = new Set<string>()

  constructor(deps: UpgradesDeps) {
    this.#deps = deps
  }

  /** Finishes the upgrades that were in progress when the daemon ended. */
  resume(): void {
    const { workloads, shutdown } = this.#deps
    for (const { stored } of workloads.book.all()) {
      if (!isUnderWay(stored)) continue
      const { name } = stored.config
      // The status and the log of the workload show the outcome, because the caller is gone.
      void this.#alone(name, () => this.#finish(name, timestamp(workloads))).catch((error: unknown) => {
        if (!shutdown.aborted) noteInLog(workloads, name, describeError(error))
      })
    }
  }

  list(signal: AbortSignal): ReturnType<typeof listUpgrades> {
    return listUpgrades(this.#deps, signal)
  }

  plan(name: string, signal: AbortSignal): ReturnType<typeof planUpgrade> {
    return planUpgrade(this.#deps, name, signal)
  }

  async upgrade(name: string, { to: wanted, ...wish }: UpgradeRequest, signal: AbortSignal): Promise<UpgradeResult> {
    this.#deps.workloads.book.get(name)
    return this.#alone(name, () => this.#upgrade(name, wanted, wish, signal))
  }

  async #upgrade(
    name: string,
    wanted: string | undefined,
    wish: Omit<UpgradeRequest, 'to'>,
    signal: AbortSignal,
  ): Promise<UpgradeResult> {
    const { workloads } = this.#deps
    const { stored } = workloads.book.get(name)
    const { state, reason = '', from, to, change } = await findFor(this.#deps, stored, signal)
    if (state === 'not-upgradable') throw conflict(`${name} cannot be upgraded: ${visibleText(reason)}`)
    if (state === 'unknown') throw unavailable(`${name} was not upgraded: ${visibleText(reason)}`)
    const versions = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    const nothing = { last_lines: [], tools_changed: [] }
    if (wanted !== undefined && wanted !== (to ?? from))
      throw conflict(
        to === undefined
          ? `${name} cannot be upgraded to ${visibleText(wanted)}: there is nothing newer than ${from ?? 'it'}; check the plan again`
          : `${name} can now be upgraded to ${to}, not to ${visibleText(wanted)}; check the plan again`,
      )
    if (!change) return { name, outcome: 'current', ...versions, ...nothing }
    const begun = timestamp(workloads)
    const upgrade = { ...(change.reference !== undefined && { reference: change.reference }) }
    await editWorkload(workloads, name, updateOf(stored, change, wish), {
      ...{ revision: await revisionOf(stored), upgrade },
    })
    // That the old version worked says nothing about the new one.
    workloads.book.observe(name, {}, ['hasWorked'])
    await workloads.journal.append({ actor: 'api', action: 'upgrade', target: name, detail: versions })
    return { ...(await this.#finish(name, begun)), ...versions }
  }

  /** Waits until the new version runs. The upgrade finishes even if the caller disconnects. */
  async #finish(name: string, begun: string): Promise<UpgradeResult> {
    const { workloads, shutdown } = this.#deps
    const { book } = workloads
    try {
      await untilRunning(this.#deps, name, AbortSignal.timeout(START_LIMIT_MS))
    } catch (error) {
      // The next daemon continues it.
      if (shutdown.aborted) throw error
      return await this.#goBack(name, describeError(error), begun)
    }
    const stored = await this.#underWay(name)
    const wasStopped = stored.upgrade?.before.wanted === 'stopped'
    await book.change(name, (current) => {
      const done = withoutUpgrade(current)
      return wasStopped && isUnderWay(current) ? { ...done, wanted: 'stopped' } : done
    })
    if (wasStopped) this.#tell(name)
    const lock = workloads.toolLocks.of(name)
    const changes = (lock ? changesOf(lock) : []).map(({ part, name: tool, kind }) => ({
      ...{ part, name: visibleText(tool), kind },
    }))
    return { name, outcome: 'upgraded', last_lines: [], tools_changed: changes }
  }

  async #goBack(name: string, reason: string, begun: string): Promise<UpgradeResult> {
    const { workloads } = this.#deps
    const { book, journal, exits } = workloads
    await this.#underWay(name)
    const lines = exits.of(name).find(({ ended_at: at, last_lines: last }) => at >= begun && last.length > 0)
    await book.change(name, goneBack, { forgetsFailure: true })
    await leaveDeletedGroup(workloads, name)
    noteInLog(workloads, name, `the new version did not start, so the previous version is back in force: ${reason}`)
    await journal.append({ actor: 'daemon', action: 'go-back', target: name, detail: { reason } })
    this.#tell(name)
    const after = await this.#runsAgain(name)
    return {
      ...{ name, outcome: 'went-back', reason: `${reason}${after}` },
      ...{ last_lines: (lines?.last_lines ?? []).map(visibleText), tools_changed: [] },
    }
  }

  /** Throws if the workload was changed in the meantime: whether it runs then says nothing about the new version. */
  async #underWay(name: string): Promise<StoredWorkload> {
    const { book } = this.#deps.workloads
    const entry = book.find(name)
    if (!entry) throw conflict(`${name} was removed during its upgrade`)
    if (isUnderWay(entry.stored)) return entry.stored
    await book.change(name, withoutUpgrade)
    throw conflict(`${name} was changed, stopped or removed during its upgrade, so nothing else was done`)
  }

  /** Says so if the old version does not run either. */
  async #runsAgain(name: string): Promise<string> {
    if (this.#deps.workloads.book.find(name)?.stored.wanted !== 'running') return ''
    try {
      await untilRunning(this.#deps, name, AbortSignal.timeout(BACK_LIMIT_MS))
      return ''
    } catch (error) {
      return `; the previous version does not run either: ${describeError(error)}`
    }
  }

  #tell(name: string): void {
    this.#deps.workloads.poke(name)
    void this.#deps.workloads.syncClients()
  }

  async #alone<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#busy.has(name)) throw conflict(`${name} is already being upgraded; wait until that has finished`)
    this.#busy.add(name)
    try {
      return await work()
    } finally {
      this.#busy.delete(name)
    }
  }
}
