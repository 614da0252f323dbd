import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import { clientTitle } from '@toolhaven/contract/client-titles'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { clientsQuery, workloadQuery } from '../queries.ts'
import { describePermissions } from './describe-permissions.ts'
import { ExitsPanel } from './ExitsPanel.tsx'
import { UsePanel } from './UsePanel.tsx'

export const Route = createLazyRoute('/servers/$name/')({ component: OverviewTab })
const here = getRouteApi('/servers/$name/')

function OverviewTab() {
  const { name } = here.useParams()
  const { data: server } = useQuery(workloadQuery(name))
  return server && <Overview server={server} />
}

function Overview({ server }: { server: WorkloadDetails }) {
  return (
    <>
      <section className="panel" aria-label="Address">
        <h2>Address</h2>
        <Code text={server.url} label="Copy the address" />
        <SeenBy group={server.group} />
      </section>
      <section className="panel" aria-label="Permissions">
        <h2>What it may do</h2>
        <ul className="plain-list">
          {describePermissions(server).map((sentence) => (
            <li key={sentence}>
              <ForeignText text={sentence} />
            </li>
          ))}
        </ul>
      </section>
      <UsePanel server={server} />
      <ExitsPanel server={server} />
      <section className="panel" aria-label="About">
        <h2>About</h2>
        <dl className="facts">
          <Fact name="Runs from" value={server.package} />
          <Fact name="Group" value={server.group} />
          <Fact name="Transport" value={server.transport_type} />
          <Fact name="Created" value={new Date(server.created_at).toLocaleString('en')} />
        </dl>
        <p>
          <Link to="/servers/$name/upgrade" params={{ name: server.name }}>
            Look for a newer version
          </Link>
        </p>
        <Code text={`thv inspect ${server.name}`} label="Copy the command that shows the same" />
      </section>
    </>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <ForeignText text={value} />
      </dd>
    </>
  )
}

function SeenBy({ group }: { group: string }) {
  const { data: clients = [] } = useQuery(clientsQuery)
  const names = clients.filter(({ groups }) => groups.includes(group)).map(({ name }) => clientTitle(name))
  return names.length === 0 ? (
    <p className="muted">
      No client is connected to the group {group}. <Link to="/clients">Connect one</Link>
    </p>
  ) : (
    <p>Seen by {new Intl.ListFormat('en').format(names)}.</p>
  )
}
