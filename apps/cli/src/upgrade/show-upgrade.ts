import type { Difference } from '@toolhaven/contract/plans'
import type { Upgrade, UpgradePlan, UpgradeResult } from '@toolhaven/contract/upgrades'
import type { Output } from '../output/output.ts'
import { printable } from '@toolhaven/contract/visible-text'

const SOURCES = { registry: 'registry', npm: 'npm', pypi: 'PyPI', go: 'Go', image: 'image tags' } as const
const DIGEST_CHARACTERS = 'sha256:'.length + 12

export function showTable(out: Output, upgrades: readonly Upgrade[]): void {
  out.table(
    [
      { title: 'NAME', value: ({ name }) => name },
      { title: 'SOURCE', value: ({ source }) => (source ? SOURCES[source] : '–') },
      { title: 'VERSION', value: ({ from }) => shortened(from) },
      { title: 'NEWEST', value: newestOf },
      { title: 'NOTE', value: ({ reason = '' }) => reason, shrinks: true },
    ],
    upgrades,
  )
}

function newestOf({ state, to, from }: Upgrade): string {
  if (state === 'available') return shortened(to)
  return state === 'current' ? shortened(from) : state === 'unknown' ? 'unknown' : '–'
}

/** Shortens image digests, which are too long to read. */
const shortened = (version = '–') =>
  version.startsWith('sha256:') ? `${version.slice(0, DIGEST_CHARACTERS)}…` : version

export const versionsOf = ({ from, to }: Pick<Upgrade, 'from' | 'to'>) => `${shortened(from)} → ${shortened(to)}`

/** Shows what an upgrade would change, before the question. */
export function showPlan(out: Output, plan: UpgradePlan): void {
  const from = plan.source ? ` (${SOURCES[plan.source]})` : ''
  out.note(printable(`${plan.name}: ${versionsOf(plan)}${from}`))
  for (const { name, change, required, secret, description } of plan.variables) {
    const kinds = [required ? 'required' : '', secret ? 'secret' : ''].filter(Boolean).join(', ')
    const what = change === 'added' ? `new variable ${name}${kinds && ` (${kinds})`}: ${description}` : undefined
    out.note(printable(`  ${what ?? `variable ${name} is no longer read`}`))
  }
  for (const { name, change } of plan.tools ?? [])
    out.note(printable(`  ${change === 'added' ? 'new tool' : 'tool gone:'} ${name}`))
  for (const difference of plan.differences) out.note(printable(`  ${describe(difference)}`))
  if (!plan.tools) out.note('  Once it runs, its tools are compared with the accepted ones.')
}

/** Hides the values of variables, which may be keys. */
function describe({ field, before, after }: Difference): string {
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  if (field.startsWith('env_vars') || field === 'secrets') return `${field}: ${change}`
  return `${field}: ${spelled(before)} → ${spelled(after)}`
}

const spelled = (value: unknown) =>
  value === undefined ? 'not set' : typeof value === 'string' ? value : JSON.stringify(value)

export function showResult(out: Output, { name, outcome, from, to, tools_changed: tools }: UpgradeResult): void {
  if (outcome === 'current') return out.line(printable(`${name} has the newest version already`))
  out.line(printable(`${name} is upgraded: ${versionsOf({ from, to })}`))
  if (tools.length === 0) return
  const told = tools.map(({ name: tool, kind }) => `${tool} ${kind}`).join(', ')
  out.note(printable(`Its tools differ from the ones you accepted: ${told}`))
  out.note(printable(`"thv tools diff ${name}" shows how, and "thv tools accept ${name}" accepts them.`))
}

/** Reports why the old version runs again, with the last output of the new one. */
export function describeReturn({ name, from, to, reason = '', last_lines: lines }: UpgradeResult): string {
  const told = `${name} went back to ${shortened(from)}: ${shortened(to)} did not start: ${reason}`
  return [told, ...lines.map((line) => `  ${line}`)].join('\n')
}
