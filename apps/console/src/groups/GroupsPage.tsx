import { useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import type { Workload } from '@toolhaven/contract/workloads'
import { PageTitle } from '../parts/PageTitle.tsx'
import { PageWithoutData } from '../parts/PageWithoutData.tsx'
import { groupsQuery, workloadsQuery } from '../queries.ts'
import { CreateGroup } from './CreateGroup.tsx'
import { GroupPanel } from './GroupPanel.tsx'

export const Route = createLazyRoute('/groups')({ component: GroupsPage })

const NONE: readonly Workload[] = []

function GroupsPage() {
  const { data: groups, error } = useQuery(groupsQuery)
  const { data: servers, error: serversError } = useQuery(workloadsQuery)
  if (!groups || !servers) return <PageWithoutData title="Groups" error={error ?? serversError} />
  const members = Map.groupBy(servers, ({ group }) => group)
  return (
    <>
      <PageTitle title="Groups" />
      <p>A client sees the servers of the groups that it is connected to, and no others.</p>
      <CreateGroup />
      {groups.map((group) => (
        <GroupPanel key={group.name} group={group} members={members.get(group.name) ?? NONE} />
      ))}
    </>
  )
}
