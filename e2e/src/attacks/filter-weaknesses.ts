import type { Weakness } from './build.ts'

/** Our program is mounted where every image and every server can expect it. */
export const KNOWN_PLACE: Weakness = {
  file: 'packages/runtimes/src/engine/container-guard.ts',
  find: "return `${BEGINNING}-${randomBytes(16).toString('hex')}`",
  replace: 'return BEGINNING',
}

/** Nothing checks whether the filter is in force. */
export const NO_LOOK: Weakness = {
  file: 'packages/runtimes/src/engine/verify-filter.ts',
  find: 'if (program === undefined) return false',
  replace: 'if (program !== null) return false',
}
