import type { RequestId } from '../messages/json-rpc.ts'
import type { Asked } from '../sessions/server-requests.ts'
import type { OpenCall, Session } from '../sessions/session.ts'
import { firstId } from '../messages/first-id.ts'

/** More than any client is asked at once. */
export const MOST_QUESTIONS = 100
const LONGEST_ID = 1024

export const TOO_MANY_QUESTIONS = 'Too many questions are open. Wait until some are answered.'
export const CALL_IS_OVER = 'the call is over'

/** The ids of servers are kept until they are answered, so a longer one counts as invalid. */
export function isKeptId(id: RequestId): boolean {
  return typeof id === 'number' || id.length <= LONGEST_ID
}

/**
 * What a shared server asked and no client has answered yet, by the id that we gave it: the server's own ids start
 * again with its process.
 */
export class OpenQuestions {
  readonly #open = new Map<number, Asked>()
  readonly #idsOf = new Map<Session | OpenCall, Set<number>>()
  #nextId = firstId()

  /** Stateless clients may share one of our sessions: there each call has its own room. */
  hasRoom(session: Session, call: OpenCall | undefined): boolean {
    const ids = this.#idsOf.get(session.front === 'modern' ? (call ?? session) : session)
    return ids === undefined || ids.size < MOST_QUESTIONS
  }

  add(question: Asked): number {
    const id = this.#nextId++
    this.#open.set(id, question)
    for (const owner of ownersOf(question)) {
      const ids = this.#idsOf.get(owner)
      if (ids === undefined) this.#idsOf.set(owner, new Set([id]))
      else ids.add(id)
    }
    return id
  }

  get(id: number): Asked | undefined {
    return this.#open.get(id)
  }

  delete(id: number): void {
    const question = this.#open.get(id)
    if (question === undefined) return
    this.#open.delete(id)
    for (const owner of ownersOf(question)) this.#forget(owner, id)
  }

  all(): [number, Asked][] {
    return [...this.#open]
  }

  of(owner: Session | OpenCall): Asked[] {
    return [...(this.#idsOf.get(owner) ?? [])].flatMap((id) => this.#open.get(id) ?? [])
  }

  /** Takes them out. */
  takeOf(owner: Session | OpenCall): Asked[] {
    const questions = this.of(owner)
    for (const id of this.#idsOf.get(owner) ?? []) this.delete(id)
    return questions
  }

  /** The call is over: takes out the questions that no other call can have caused. */
  takeOfCall(call: OpenCall): Asked[] {
    const over: Asked[] = []
    for (const id of [...(this.#idsOf.get(call) ?? [])]) {
      const question = this.#open.get(id)
      if (question === undefined) continue
      this.#forget(call, id)
      question.calls.delete(call)
      if (question.calls.size > 0) continue
      this.delete(id)
      over.push(question)
    }
    return over
  }

  #forget(owner: Session | OpenCall, id: number): void {
    const ids = this.#idsOf.get(owner)
    ids?.delete(id)
    if (ids?.size === 0) this.#idsOf.delete(owner)
  }
}

function ownersOf({ session, calls }: Asked): (Session | OpenCall)[] {
  return [session, ...calls]
}
