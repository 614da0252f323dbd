import type { Clock } from '../../ports/clock.ts'

/** Now, as RFC 3339 in UTC and whole seconds. */
export function timestamp({ clock }: { clock: Clock }): string {
  return new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
}
