import type { Check } from './suites.ts'

/** The verdicts of a scenario, without what differs from run to run. */
export function verdictsOf(checks: readonly Check[]): string[] {
  return (
    checks
      // The rest is what the suite recorded on its way: requests, answers, events.
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

/** Verdicts that only one of them has, with the suite's messages. */
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
