import { getRouteApi, Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Workload } from '@toolhaven/contract/workloads'
import { ForeignText } from '../parts/ForeignText.tsx'
import { StatusBadge } from '../parts/StatusBadge.tsx'
import { FixButton } from './FixButton.tsx'
import type { ServersSearch } from './servers-search.ts'
import { useRowTexts } from './use-row-texts.ts'

const here = getRouteApi('/servers')

export interface ServerTableProps {
  servers: readonly Workload[]
  chosen: ReadonlySet<string>
  onChoose: (names: ReadonlySet<string>) => void
  onToggle: (name: string) => void
}

export function ServerTable({ servers, chosen, onChoose, onToggle }: ServerTableProps) {
  const isEveryOne = servers.every(({ name }) => chosen.has(name))
  const { textOf, measuredAt } = useRowTexts()
  return (
    <>
      <table className="table">
        <caption className="only-read-aloud">Servers</caption>
        <thead>
          <tr>
            <th className="fits">
              <input
                type="checkbox"
                aria-label="Choose all servers in the list"
                checked={isEveryOne}
                onChange={() => onChoose(new Set(isEveryOne ? [] : servers.map(({ name }) => name)))}
              />
            </th>
            <SortHeader sort="name" label="Name" />
            <SortHeader sort="status" label="Status" />
            <th scope="col">Reason</th>
            <th scope="col">Use</th>
            <SortHeader sort="group" label="Group" />
            <th scope="col">
              <span className="only-read-aloud">Fix</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {servers.map((server) => (
            <ServerRow
              key={server.name}
              server={server}
              use={textOf(server)}
              isChosen={chosen.has(server.name)}
              onToggle={onToggle}
            />
          ))}
        </tbody>
      </table>
      {measuredAt !== undefined && (
        <p className="muted">
          Calls were measured at {new Date(measuredAt).toLocaleTimeString('en', { hourCycle: 'h23' })}, and are again
          when you come back to this page.
        </p>
      )}
    </>
  )
}

interface ServerRowProps {
  server: Workload
  use: string
  isChosen: boolean
  onToggle: (name: string) => void
}

/** One of perhaps a thousand: it is drawn again only when it changed itself. */
const ServerRow = memo(({ server, use, isChosen, onToggle }: ServerRowProps) => {
  const { name, status, status_context, group } = server
  return (
    <tr>
      <td className="choice">
        <input type="checkbox" aria-label={`Choose ${name}`} checked={isChosen} onChange={() => onToggle(name)} />
      </td>
      <td>
        <Link to="/servers/$name" params={{ name }}>
          {name}
        </Link>
      </td>
      <td className="fits">
        <StatusBadge status={status} />
      </td>
      <td className="reason">
        <ForeignText text={status_context} />
      </td>
      <td className="use">{use}</td>
      <td className="group">{group}</td>
      <td className="fits">
        <FixButton server={server} />
      </td>
    </tr>
  )
})

function SortHeader({ sort, label }: { sort: NonNullable<ServersSearch['sort']>; label: string }) {
  const { sort: current = 'name' } = here.useSearch()
  const navigate = here.useNavigate()
  const isCurrent = current === sort
  return (
    <th scope="col" aria-sort={isCurrent ? 'ascending' : undefined}>
      <button
        type="button"
        className="sort-button"
        onClick={() => navigate({ search: (before) => ({ ...before, sort }), replace: true, resetScroll: false })}
      >
        {label} <span aria-hidden="true">{isCurrent ? '↓' : ''}</span>
      </button>
    </th>
  )
}
