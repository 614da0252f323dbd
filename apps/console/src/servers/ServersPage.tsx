import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { PageTitle } from '../parts/PageTitle.tsx'
import { PageWithoutData } from '../parts/PageWithoutData.tsx'
import { workloadsQuery } from '../queries.ts'
import { BulkActions } from './BulkActions.tsx'
import { chooseServers } from './choose-servers.ts'
import { NoServers } from './NoServers.tsx'
import { ServerFilters } from './ServerFilters.tsx'
import { ServerTable } from './ServerTable.tsx'

export const Route = createLazyRoute('/servers')({ component: ServersPage })
const here = getRouteApi('/servers')

function ServersPage() {
  const search = here.useSearch()
  const { data: all, error } = useQuery(workloadsQuery)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [toggle] = useState(() => (name: string) => setChosen((before) => toggled(before, name)))
  if (all === undefined) return <PageWithoutData title="Servers" error={error} />
  const shown = chooseServers(all, search)
  // What a filter hides or what is gone is not acted on.
  const acted = shown.filter(({ name }) => chosen.has(name))
  return (
    <>
      <PageTitle title="Servers">
        {all.length > 0 && (
          <Link to="/logs" className="button">
            Logs
          </Link>
        )}
        <Link to="/run" className="button primary">
          Run a server
        </Link>
      </PageTitle>
      {all.length === 0 ? (
        <NoServers />
      ) : (
        <>
          <ServerFilters all={all} />
          <BulkActions servers={acted} onDone={() => setChosen(new Set())} />
          <p role="status" className="muted">
            {shown.length === all.length ? countOf(all.length) : `${shown.length} of ${countOf(all.length)}`}
          </p>
          {shown.length > 0 ? (
            <ServerTable servers={shown} chosen={chosen} onChoose={setChosen} onToggle={toggle} />
          ) : (
            <p>No server matches these filters.</p>
          )}
        </>
      )}
    </>
  )
}

function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(names)
  if (!next.delete(name)) next.add(name)
  return next
}

const countOf = (count: number) => `${count} ${count === 1 ? 'server' : 'servers'}`
