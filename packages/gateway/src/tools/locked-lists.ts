import type { LockPart } from '@toolhaven/contract/tools'
import { isObject, type JsonObject } from '../messages/json-rpc.ts'
import type { Session } from '../sessions/session.ts'

export type ListPart = Exclude<LockPart, 'instructions'>

/** A server says that a list has changed. Without a part: there is another server, so any list may have changed. */
export type ListChanged = (session?: Session, part?: ListPart) => void

/** A list of definitions that are compared with the accepted ones. */
export interface LockedList {
  readonly part: ListPart
  readonly method: string
  /** Where the definitions are in the result. */
  readonly field: string
  /** The field that identifies a definition. */
  readonly key: string
  /** Servers that do not declare it are not asked. Undefined: every server is asked. */
  readonly capability: string | undefined
  readonly noun: string
}

export const LOCKED_LISTS: readonly LockedList[] = [
  // Servers without the capability are asked for tools as well: some have them all the same.
  { part: 'tool', method: 'tools/list', field: 'tools', key: 'name', capability: undefined, noun: 'tool' },
  { part: 'prompt', method: 'prompts/list', field: 'prompts', key: 'name', capability: 'prompts', noun: 'prompt' },
  {
    ...{ part: 'resource_template', method: 'resources/templates/list', field: 'resourceTemplates' },
    ...{ key: 'uriTemplate', capability: 'resources', noun: 'resource template' },
  },
]

export function lockedListOf(method: string): LockedList | undefined {
  return LOCKED_LISTS.find((list) => list.method === method)
}

export function keyOf({ key }: LockedList, definition: unknown): string | undefined {
  const value = isObject(definition) ? definition[key] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Whether a server with this handshake is asked for the list. */
export function isOffered({ capability }: LockedList, { capabilities }: JsonObject): boolean {
  return capability === undefined || (isObject(capabilities) && isObject(capabilities[capability]))
}
