import { whoMakesRoom } from '../fair-share.ts'

const MOST_TASKS = 10_000

/** Which caller started a task at the server: its id alone must be worth nothing to others. */
export class TaskOwners {
  readonly #owners = new Map<string, string>()

  isOwn(taskId: unknown, owner: string): boolean {
    return typeof taskId === 'string' && this.#owners.get(taskId) === owner
  }

  /** A task stays with the first caller who was told of it. */
  add(taskId: string, owner: string): void {
    if (this.#owners.has(taskId)) return
    this.#owners.set(taskId, owner)
    if (this.#owners.size <= MOST_TASKS) return
    const from = whoMakesRoom(this.#owners.values(), owner)
    for (const [id, other] of this.#owners) {
      if (other !== from) continue
      this.#owners.delete(id)
      return
    }
  }
}
