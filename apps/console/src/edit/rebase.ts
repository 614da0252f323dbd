import type { NamedValue, RunForm } from '../run/run-form.ts'
import { isSame } from './update-of.ts'

/** What the parts of the form are called. */
export const PART_NAMES = {
  ...{ source: 'What to run', image: 'Package or image', url: 'Address', name: 'Name', group: 'Group' },
  ...{ variables: 'Variables and secrets', headers: 'Headers', args: 'Arguments', volumes: 'Folders' },
  ...{ network: 'Network', hosts: 'Hosts', ports: 'Ports of these hosts', moreHosts: 'Additional hosts' },
  ...{ tools: 'Tools', memory: 'Memory', cpus: 'CPU cores', processes: 'Processes' },
  ...{ requests: 'Requests per minute', clientRequests: 'Requests per minute of each client' },
  acceptMounts: 'Folders of the registry entry',
} as const satisfies Record<keyof RunForm, string>

export interface Rebased {
  form: RunForm
  /** Parts that somebody else changed. */
  theirs: string[]
  /** Those of them that were changed here as well. What was typed stays. */
  both: string[]
}

/** The form on what is configured by now: what was typed stays, and everything else is as it is now. */
export function rebase(base: RunForm, mine: RunForm, now: RunForm): Rebased {
  const parts = partsOf(base)
  const theirs = parts.filter((part) => !isSame(base[part], now[part]))
  const both = theirs.filter((part) => !isSame(base[part], mine[part]) && !isSame(mine[part], now[part]))
  const untouched = parts.filter((part) => isSame(base[part], mine[part]))
  const form = {
    ...mine,
    ...Object.fromEntries(untouched.map((part) => [part, now[part]])),
    variables: mergeValues(base.variables, mine.variables, now.variables),
    headers: mergeValues(base.headers, mine.headers, now.headers),
  }
  return { form, theirs: theirs.map(nameOf), both: both.map(nameOf) }
}

/** Each value for itself: those that were changed or added here as they are here, and the others as they are now. */
function mergeValues(base: readonly NamedValue[], mine: readonly NamedValue[], now: readonly NamedValue[]) {
  const named = (values: readonly NamedValue[], name: string) => values.find((each) => each.name === name)
  const isTouched = (name: string) => !isSame(named(base, name), named(mine, name))
  const kept = now.flatMap((each) => (isTouched(each.name) ? (named(mine, each.name) ?? []) : each))
  const added = mine.filter(({ name }) => !named(now, name) && (name === '' || isTouched(name)))
  return [...kept, ...added]
}

const nameOf = (part: keyof RunForm) => PART_NAMES[part]

function partsOf(form: RunForm): (keyof RunForm)[] {
  return Object.keys(form).filter((part): part is keyof RunForm => part in PART_NAMES)
}
