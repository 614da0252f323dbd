import type { RequestId } from '../json-rpc.ts'
import type { Call } from '../sessions/call.ts'
import type { Asked } from '../sessions/server-requests.ts'
import type { Session } from '../sessions/session.ts'
import { firstId } from './first-id.ts'

/** More than any client is asked at once. */
export const MOST_QUESTIONS = 100
const LONGEST_ID = 1024

export const TOO_MANY_QUESTIONS = 'Too many questions are open; wait for some to be answered.'
export const CALL_IS_OVER = 'the call is over'

/** We keep ids of servers until they are answered: what is longer is taken for none. */
export function isKeptId(id: RequestId): boolean {
  return typeof id === 'number' || id.length <= LONGEST_ID
}

export interface OpenQuestion extends Asked {
  /** False: it is about the client itself, and worth an answer after the call as well. */
  isAboutCall: boolean
}

/** What a shared server asked and no client has answered yet, by the id we gave it: the server's own ids start again with its process. */
export class OpenQuestions {
  readonly #open = new Map<number, OpenQuestion>()
  readonly #idsOf = new Map<Session | Call, Set<number>>()
  #nextId = firstId()

  /** Clients without sessions may share one of ours: there each call has room of its own. */
  hasRoom(session: Session, call: Call | undefined): boolean {
    const ids = this.#idsOf.get(session.front === 'modern' ? (call ?? session) : session)
    return ids === undefined || ids.size < MOST_QUESTIONS
  }

  isAsked(call: Call): boolean {
    return this.#idsOf.has(call)
  }

  add(question: OpenQuestion): number {
    const id = this.#nextId++
    this.#open.set(id, question)
    for (const owner of ownersOf(question)) {
      const ids = this.#idsOf.get(owner)
      if (ids === undefined) this.#idsOf.set(owner, new Set([id]))
      else ids.add(id)
    }
    return id
  }

  get(id: number): OpenQuestion | undefined {
    return this.#open.get(id)
  }

  delete(id: number): void {
    const question = this.#open.get(id)
    if (question === undefined) return
    this.#open.delete(id)
    for (const owner of ownersOf(question)) this.#forget(owner, id)
  }

  all(): [number, OpenQuestion][] {
    return [...this.#open]
  }

  of(owner: Session | Call): OpenQuestion[] {
    return [...(this.#idsOf.get(owner) ?? [])].flatMap((id) => this.#open.get(id) ?? [])
  }

  /** Takes them out. */
  takeOf(owner: Session | Call): OpenQuestion[] {
    const questions = this.of(owner)
    for (const id of this.#idsOf.get(owner) ?? []) this.delete(id)
    return questions
  }

  /** Takes out those that are over with the call; the others no longer belong to it. */
  takeOfCall(call: Call): OpenQuestion[] {
    for (const id of this.#idsOf.get(call) ?? []) {
      const question = this.#open.get(id)
      if (question === undefined || question.isAboutCall) continue
      question.call = undefined
      this.#forget(call, id)
    }
    return this.takeOf(call)
  }

  #forget(owner: Session | Call, id: number): void {
    const ids = this.#idsOf.get(owner)
    ids?.delete(id)
    if (ids?.size === 0) this.#idsOf.delete(owner)
  }
}

function ownersOf({ session, call }: OpenQuestion): (Session | Call)[] {
  return call === undefined ? [session] : [session, call]
}
