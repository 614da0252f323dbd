import '../css/home.css'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
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
import { dismissFirstRun, isFirstRunWanted } from './first-run-choice.ts'
import { GroupCards } from './GroupCards.tsx'

export const Route = createLazyRoute('/')({ component: HomePage })

const FirstRun = lazy(() => import('./FirstRun.tsx').then((module) => ({ default: module.FirstRun })))
const RecentEvents = lazy(() => import('./RecentEvents.tsx').then((module) => ({ default: module.RecentEvents })))

function HomePage() {
  const { data: servers, error } = useQuery(workloadsQuery)
  const [asksFirstRun, setAsksFirstRun] = useState(isFirstRunWanted)
  const dismiss = () => {
    dismissFirstRun()
    setAsksFirstRun(false)
  }
  return (
    <>
      <PageTitle title="Home" />
      {error && !servers && <Problem message={messageOf(error)} />}
      {servers && servers.length > 0 && <Attention servers={servers.filter(needsAttention)} />}
      <Suspense>{servers && asksFirstRun && <FirstRun servers={servers} onDismiss={dismiss} />}</Suspense>
      {servers?.length === 0 && <NoServers />}
      {servers && servers.length > 0 && <GroupCards servers={servers} />}
      <Suspense>
        <RecentEvents />
      </Suspense>
    </>
  )
}

function Attention({ servers }: { servers: readonly Workload[] }) {
  return (
    <section className="panel" aria-label="Needs attention">
      <h2>Needs attention</h2>
      {servers.length === 0 && <p>Nothing. Every server works.</p>}
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
