import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link, Outlet } from '@tanstack/react-router'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { isNotFound } from '../is-not-found.ts'
import { PageTitle } from '../parts/PageTitle.tsx'
import { PageWithoutData } from '../parts/PageWithoutData.tsx'
import { StatusBadge } from '../parts/StatusBadge.tsx'
import { workloadQuery } from '../queries.ts'
import { NoSuchServer } from './NoSuchServer.tsx'
import { ReasonPanel } from './ReasonPanel.tsx'
import { ServerActions } from './ServerActions.tsx'

export const Route = createLazyRoute('/servers/$name')({ component: ServerPage })
const here = getRouteApi('/servers/$name')

function ServerPage() {
  const { name } = here.useParams()
  const { data: server, error } = useQuery(workloadQuery(name))
  if (isNotFound(error)) return <NoSuchServer name={name} />
  if (server) return <Server server={server} />
  return <PageWithoutData title={name} error={error} />
}

function Server({ server }: { server: WorkloadDetails }) {
  return (
    <>
      <PageTitle title={server.name} before={<StatusBadge status={server.status} />}>
        <ServerActions server={server} />
      </PageTitle>
      <ReasonPanel server={server} />
      <nav className="tabs" aria-label={`Pages of ${server.name}`}>
        <Link to="/servers/$name" params={{ name: server.name }} activeOptions={{ exact: true }}>
          Overview
        </Link>
        <Link to="/servers/$name/tools" params={{ name: server.name }}>
          Tools
        </Link>
        <Link to="/servers/$name/try" params={{ name: server.name }}>
          Try
        </Link>
        <Link to="/servers/$name/logs" params={{ name: server.name }}>
          Logs
        </Link>
        <Link to="/servers/$name/network" params={{ name: server.name }}>
          Network
        </Link>
        <Link to="/servers/$name/configuration" params={{ name: server.name }}>
          Configuration
        </Link>
      </nav>
      <Outlet />
    </>
  )
}
