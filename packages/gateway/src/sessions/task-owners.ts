import { whoMakesRoom } from './fair-share.ts'

const MOST_TASKS = 10_000

/** The callers that were told about each task at the server: its id alone must be worth nothing to others. */
export class TaskOwners {
  /** Processes of one server may give the same id to tasks of several callers. */
  readonly #owners = new Map<string, Set<string>>()
  #count = 0
  #processId: string | undefined

  isOwn(taskId: unknown, owner: string): boolean {
    return typeof taskId === 'string' && this.#owners.get(taskId)?.has(owner) === true
  }

  add(taskId: string, owner: string): void {
    if (this.isOwn(taskId, owner)) return
    const owners = this.#owners.get(taskId) ?? new Set()
    this.#owners.set(taskId, owners.add(owner))
    if (++this.#count > MOST_TASKS) this.#makeRoom(owner)
  }

  /** Another process of the server may give the ids of the former process's tasks to its own tasks. */
  keepThoseOf(processId: string): void {
    if (processId === this.#processId) return
    this.#processId = processId
    this.#owners.clear()
    this.#count = 0
  }

  #makeRoom(asking: string): void {
    const all = [...this.#owners.values()].flatMap((owners) => [...owners])
    const from = whoMakesRoom(all, asking)
    for (const [id, owners] of this.#owners) {
      if (from === undefined || !owners.delete(from)) continue
      if (owners.size === 0) this.#owners.delete(id)
      this.#count--
      return
    }
  }
}
