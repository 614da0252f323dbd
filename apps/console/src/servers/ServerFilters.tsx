import { getRouteApi } from '@tanstack/react-router'
import { WORKLOAD_STATUS_NAMES } from '@toolhaven/contract/workload-status'
import type { Workload } from '@toolhaven/contract/workloads'
import { SearchField } from '../parts/SearchField.tsx'
import { SERVERS_SEARCH, type ServersSearch } from './servers-search.ts'

const here = getRouteApi('/servers')

export function ServerFilters({ all }: { all: readonly Workload[] }) {
  const search = here.useSearch()
  const navigate = here.useNavigate()
  const set = (change: { [Key in keyof ServersSearch]: string }) =>
    navigate({
      search: (before) => {
        const next = Object.entries({ ...before, ...change }).filter(([, value]) => value)
        return SERVERS_SEARCH.parse(Object.fromEntries(next))
      },
      replace: true,
      resetScroll: false,
    })
  const groups = [...new Set(all.map(({ group }) => group))].toSorted()
  const statuses = WORKLOAD_STATUS_NAMES.filter((known) => all.some(({ status }) => status === known))
  return (
    <search className="filters">
      <SearchField text={search.q ?? ''} onSearch={(q) => set({ q })} />
      <Choice label="Group" value={search.group} values={groups} onChange={(group) => set({ group })} />
      <Choice label="Status" value={search.status} values={statuses} onChange={(status) => set({ status })} />
    </search>
  )
}

interface ChoiceProps {
  label: string
  value: string | undefined
  values: readonly string[]
  onChange: (value: string) => void
}

function Choice({ label, value = '', values, onChange }: ChoiceProps) {
  // A link may name one that no server has at the moment.
  const offered = value === '' || values.includes(value) ? values : [value, ...values]
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">All</option>
        {offered.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  )
}
