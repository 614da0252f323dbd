import type { HttpRequest } from './exchange.ts'

/**
 * Notes about requests, kept for later. A weak map costs a microsecond for each request, and the garbage collector as
 * much again.
 */
export class Notes<T> {
  readonly #key = Symbol('note')

  get(request: HttpRequest): T | undefined {
    return Reflect.get(request, this.#key)
  }

  set(request: HttpRequest, note: T): void {
    Reflect.set(request, this.#key, note)
  }
}
