import '../css/home.css'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import type { Workload } from '@toolhaven/contract/workloads'
import { messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Problem } from '../parts/Problem.tsx'
import { StatusBadge } from '../parts/StatusBadge.tsx'
import { workloadsQuery } from '../queries.ts'
import { FixButton } from '../servers/FixButton.tsx'
import { needsAttention } from '../servers/fix-of.ts'
import { NoServers } from '../servers/NoServers.tsx'

export const Route = createLazyRoute('/')({ component: HomePage })

function HomePage() {
  const { data: servers, error } = useQuery(workloadsQuery)
  return (
    <>
      <PageTitle title="Home" />
      {error && !servers && <Problem message={messageOf(error)} />}
      {servers?.length === 0 && <NoServers />}
      {servers && servers.length > 0 && (
        <>
          <Attention servers={servers.filter(needsAttention)} />
          <Groups servers={servers} />
        </>
      )}
    </>
  )
}

function Attention({ servers }: { servers: readonly Workload[] }) {
  return (
    <section className="panel" aria-label="Needs attention">
      <h2>Needs attention</h2>
      {servers.length === 0 && <p>Nothing. Every server does what it should.</p>}
      <ul className="plain-list">
        {servers.map((server) => (
          <li key={server.name} className="attention">
            <Link to="/servers/$name" params={{ name: server.name }}>
              {server.name}
            </Link>
            <StatusBadge status={server.status} />
            <span className="reason">
              <ForeignText text={server.status_context} />
            </span>
            <FixButton server={server} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Groups({ servers }: { servers: readonly Workload[] }) {
  const groups = Map.groupBy(servers, ({ group }) => group)
  return (
    <section className="panel" aria-label="Groups">
      <h2>Groups</h2>
      <ul className="plain-list">
        {[...groups].map(([group, members]) => (
          <li key={group}>
            <Link to="/servers" search={{ group }}>
              {group}
            </Link>{' '}
            <span className="muted">
              {members.filter(({ status }) => status === 'running').length} of {members.length} running
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
