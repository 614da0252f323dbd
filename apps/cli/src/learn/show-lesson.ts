import type { Evidence, LeftOut, Lesson } from '@toolhaven/contract/lesson'
import type { Output } from '../output/output.ts'
import { printable } from '@toolhaven/contract/visible-text'
import type { Column } from '../output/table.ts'

type Sighted = Pick<Evidence, 'host' | 'port' | 'count' | 'first_seen' | 'last_seen'>

const SEEN: readonly Column<Sighted>[] = [
  { title: 'PORT', value: ({ port }) => (port === 0 ? '-' : String(port)) },
  { title: 'COUNT', value: ({ count }) => String(count) },
  { title: 'FIRST SEEN', value: ({ first_seen: at }) => at },
  { title: 'LAST SEEN', value: ({ last_seen: at }) => at },
]

/** Prints the evidence line by line, and the profile derived from it. */
export function showLesson(out: Output, { name, mode, since, evidence, left_out: left, ...lesson }: Lesson): void {
  const how = mode === 'observe' ? 'every public host is allowed' : 'its own profile is in force'
  out.line(`${name}, recorded since ${since}: ${how}`)
  if (evidence.length > 0) {
    const columns: Column<Evidence>[] = [
      { title: 'HOST', value: ({ host }) => host },
      ...SEEN,
      { title: 'BLOCKED', value: ({ blocked }) => String(blocked) },
      { title: 'WHAT', value: whatWent, shrinks: true },
    ]
    out.line('')
    out.table(columns, evidence)
  }
  if (left.length > 0) {
    const columns: Column<LeftOut>[] = [
      { title: 'LEFT OUT', value: ({ host }) => host },
      ...SEEN,
      { title: 'WHY', value: ({ reason }) => reason, shrinks: true },
    ]
    out.line('')
    out.table(columns, left)
  }
  out.line('')
  out.line('The smallest profile that would have worked:')
  out.json(lesson.permission_profile)
  for (const note of lesson.notes) out.note(printable(`Note: ${note}`))
}

const NAMES = { http: 'HTTP', 'http-tunnel': 'HTTP', tls: 'TLS', other: 'another protocol' } as const

function whatWent({ speaks, paths }: Evidence): string {
  const protocols = [...new Set(speaks.map((each) => NAMES[each]))].join(', ')
  return [protocols, ...paths].filter(Boolean).join(' ')
}
