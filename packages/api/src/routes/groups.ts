import type { groupRoutes } from '@toolhaven/contract/groups'
import { createGroup, deleteGroup, getGroup, listGroups } from '@toolhaven/core/groups/groups'
import type { ApiDeps } from '../api-deps.ts'
import type { Handlers } from '../bind.ts'

export function groupHandlers({ groups }: ApiDeps): Pick<Handlers, keyof typeof groupRoutes> {
  return {
    listGroups: () => ({ groups: listGroups(groups) }),
    createGroup: ({ body }) => createGroup(groups, body.name),
    getGroup: ({ params }) => getGroup(groups, params.name),
    deleteGroup: async ({ params, query }) =>
      void (await deleteGroup(groups, params.name, query['with-workloads'] ?? false)),
  }
}
