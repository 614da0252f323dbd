import type { LockPart } from '@toolhaven/contract/tools'
import type { StoredToolLock } from '../ports/stores.ts'
import { changesOf } from './tool-difference.ts'
import { visibleText } from '@toolhaven/contract/visible-text'

const MOST_NAMES = 3
const KINDS = ['changed', 'added', 'removed'] as const

/** A short summary of the changes to accept. Undefined if there are none. */
export function describeChanges(lock: StoredToolLock, whyUnreadable?: string): string | undefined {
  const changes = changesOf(lock)
  if (changes.length === 0) return undefined
  if (whyUnreadable !== undefined)
    return `the record of the accepted tools of ${lock.name} cannot be read (${whyUnreadable}), so you must accept all of them again`
  const said = KINDS.flatMap((wanted) => {
    const names = changes.filter(({ kind }) => kind === wanted).map(({ part, name }) => labelOf(part, name))
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
    return names.length === 0 ? [] : [`${names.slice(0, MOST_NAMES).join(', ')}${more} ${wanted}`]
  })
  const what = changes.some(({ part }) => part === 'tool') ? `the tools of ${lock.name}` : `what ${lock.name} offers`
  return `${what} changed: ${said.join('; ')}`
}

/** A tool is named without "tool", because nearly all changes concern tools. */
export function labelOf(part: LockPart, name: string): string {
  if (part === 'instructions') return 'the instructions'
  if (part === 'tool') return shortName(name)
  return `${part === 'prompt' ? 'prompt' : 'resource template'} ${shortName(name)}`
}

function shortName(name: string): string {
  const shown = visibleText(name)
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown
}
