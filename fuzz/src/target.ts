import type { fc } from '@toolhaven/testing/properties'

/** What JSON can carry: an input is kept in a file and replayed from it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** One part of the product that reads what others wrote. */
export interface Target {
  /** Also the name of its folder in the corpus. */
  name: string
  /** For `--help`. */
  about: string
  open: (seeds: readonly Json[]) => Promise<OpenTarget>
}

export interface OpenTarget extends AsyncDisposable {
  inputs: fc.Arbitrary<Json>
  /**
   * Throws when the input reveals a fault. Otherwise returns the outcome in a few words: an input whose outcome no
   * input of the corpus has is worth keeping.
   */
  check: (input: Json) => Promise<string>
}

/** A target that needs nothing opened. */
export function pureTarget<Input extends Json>(
  about: Pick<Target, 'name' | 'about'>,
  inputsOf: (seeds: readonly Json[]) => fc.Arbitrary<Input>,
  check: (input: Json) => string,
): Target {
  return {
    ...about,
    open: async (seeds) => ({
      inputs: inputsOf(seeds),
      check: async (input) => check(input),
      async [Symbol.asyncDispose]() {},
    }),
  }
}

export function textOf(input: Json): string {
  if (typeof input !== 'string') throw new Error(`the input must be a text, not ${JSON.stringify(input)}`)
  return input
}
