import type { Check } from './suites.ts'

/** What a scenario found, without what differs from one run to the next. */
export function verdictsOf(checks: readonly Check[]): string[] {
  return (
    checks
      // The rest is what the suite noted on its way: requests, answers, events.
      .filter(({ status }) => status !== 'INFO')
      .map(({ id, status }) => `${id} ${status}`)
      .toSorted()
  )
}

export function hasFailed(checks: readonly Check[]): boolean {
  return checks.some(({ status }) => status === 'FAILURE')
}

export function isEqual(a: readonly Check[], b: readonly Check[]): boolean {
  return verdictsOf(a).join('\n') === verdictsOf(b).join('\n')
}

/** Verdicts that only one of them has, and what the suite said to them. */
export function differences(direct: readonly Check[], proxied: readonly Check[]): string[] {
  const without = (checks: readonly Check[], others: readonly Check[]) => {
    const left = verdictsOf(others)
    return checks.filter(({ id, status }) => {
      const at = left.indexOf(`${id} ${status}`)
      if (at !== -1) left.splice(at, 1)
      return at === -1 && status !== 'INFO'
    })
  }
  const line = (who: string, { id, status, errorMessage = '' }: Check) => `${who}: ${id} ${status} ${errorMessage}`
  return [
    ...without(direct, proxied).map((check) => line('direct', check)),
    ...without(proxied, direct).map((check) => line('proxied', check)),
  ]
}
