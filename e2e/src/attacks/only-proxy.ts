import type { Weakness } from './build.ts'

/**
 * The forwarder holds the proxy and nothing else. It goes with every weakness that puts it into another network than its own: there it
 * refuses to make every address local.
 */
export const ONLY_PROXY: Weakness = {
  file: 'packages/runtimes/src/isolation/ways.ts',
  find: "...directly, '-n', names]",
  replace: ']',
}
