import type { Lesson } from '@toolhaven/contract/lesson'
import type { UpdateRequest } from '@toolhaven/contract/workload-request'
import { api } from '../api.ts'
import type { EditBase } from '../edit/edit-base.ts'
import { editCommand } from '../run/thv-command.ts'
import { allowHost, lockTo, removeHost } from './host-updates.ts'
import type { Change } from './NetworkChange.tsx'
import type { NetworkSearch } from './network-search.ts'

/** The change that the address asks for. */
export function changeOf(
  base: EditBase,
  lesson: Lesson | null | undefined,
  { allow, remove, step }: NetworkSearch,
): Change | undefined {
  const { name, revision, request } = base
  const edit = (update: UpdateRequest, verb: string): Change => ({
    ...{ update, verb, command: editCommand(name, request, update) },
    apply: () => api.call('editWorkload', { params: { name }, query: { revision }, body: update }),
  })
  if (allow !== undefined) return edit(allowHost(base, allow), `Allow ${allow} and restart`)
  if (remove !== undefined) return edit(removeHost(base, remove), `Remove ${remove} and restart`)
  if (step === 'observe')
    return {
      ...edit({ network_isolation_mode: 'observe' }, 'Observe and restart'),
      command: `thv learn ${name} --observe`,
    }
  if (step === 'stop')
    return {
      ...edit({ network_isolation_mode: null }, 'Stop observing and restart'),
      command: `thv edit ${name} --unset observe-network`,
    }
  if (step === undefined || !lesson) return undefined
  const { permission_profile } = lesson
  return {
    ...{ update: lockTo(lesson), verb: 'Lock and restart', notes: lesson.notes },
    command: `thv learn ${name} --apply`,
    // What is shown is what is put in force: what the server asks for meanwhile, it does not get.
    apply: () => api.call('applyLesson', { params: { name }, body: { permission_profile } }),
  }
}
