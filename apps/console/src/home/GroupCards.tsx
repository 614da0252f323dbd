import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Workload } from '@toolhaven/contract/workloads'
import { groupsQuery } from '../queries.ts'
import { needsAttention } from '../servers/fix-of.ts'

/** A card for each group: how many of its servers run or need a person, and how many clients see them. */
export function GroupCards({ servers }: { servers: readonly Workload[] }) {
  const { data: known = [] } = useQuery(groupsQuery)
  const members = Map.groupBy(servers, ({ group }) => group)
  const clients = new Map(known.map(({ name, registered_clients: names }) => [name, names.length]))
  const names = [...new Set([...clients.keys(), ...members.keys()])]
  return (
    <section className="groups" aria-label="Groups">
      <h2>
        <Link to="/groups">Groups</Link>
      </h2>
      <ul className="cards">
        {names.map((group) => (
          <li key={group} className="panel">
            <h3>
              <Link to="/servers" search={{ group }}>
                {group}
              </Link>
            </h3>
            <ul className="plain-list">
              {countsOf(members.get(group) ?? [], clients.get(group) ?? 0).map((count) => (
                <li key={count}>{count}</li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  )
}

function countsOf(members: readonly Workload[], clients: number): string[] {
  const running = members.filter(({ status }) => status === 'running').length
  const troubled = members.filter(needsAttention).length
  return [
    members.length === 0 ? 'no servers' : `${running} of ${members.length} running`,
    ...(troubled === 0 ? [] : [`${troubled} ${troubled === 1 ? 'needs' : 'need'} attention`]),
    `${clients} ${clients === 1 ? 'client' : 'clients'}`,
  ]
}
