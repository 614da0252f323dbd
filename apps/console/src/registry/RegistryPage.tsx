import '../css/registry.css'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import { ForeignText } from '../parts/ForeignText.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { PageWithoutData } from '../parts/PageWithoutData.tsx'
import { SearchField } from '../parts/SearchField.tsx'
import { registryQuery } from '../queries.ts'
import { chooseEntries, REGISTRY_SEARCH, type RegistryEntry } from './choose-entries.ts'

export const Route = createLazyRoute('/registry')({ component: RegistryPage })
const here = getRouteApi('/registry')

/** An MCP registry may list tens of thousands. */
const MOST = 200

function RegistryPage() {
  const search = here.useSearch()
  const { data: all, error } = useQuery(registryQuery)
  if (!all)
    return (
      <PageWithoutData title="Registry" error={error}>
        <Link to="/registry-source" className="button">
          Change the source
        </Link>
      </PageWithoutData>
    )
  const found = chooseEntries(all, search)
  return (
    <>
      <PageTitle title="Registry">
        <Link to="/registry-source" className="button">
          Source
        </Link>
        <Link to="/run" className="button">
          Run something else
        </Link>
      </PageTitle>
      <Filters />
      <p role="status" className="muted">
        {found.length === all.length ? `${all.length} servers` : `${found.length} of ${all.length} servers`}
      </p>
      {found.length === 0 && <p>No server has all of these words in its name, description, tags or tools.</p>}
      <ul className="entries">
        {found.slice(0, MOST).map((entry) => (
          <Entry key={entry.name} entry={entry} />
        ))}
      </ul>
      {found.length > MOST && <p className="muted">These are the first {MOST}. Search to see others.</p>}
    </>
  )
}

function Filters() {
  const { q = '', tier = '' } = here.useSearch()
  const navigate = here.useNavigate()
  const set = (change: { q?: string; tier?: string }) =>
    navigate({
      search: Object.fromEntries(
        Object.entries(REGISTRY_SEARCH.parse({ q, tier, ...change })).filter(([, value]) => value),
      ),
      replace: true,
      resetScroll: false,
    })
  return (
    <search className="filters">
      <SearchField text={q} onSearch={(next) => set({ q: next })} />
      <label>
        Tier
        <select value={tier} onChange={(event) => set({ tier: event.target.value })}>
          <option value="">All</option>
          <option>Official</option>
          <option>Community</option>
        </select>
      </label>
    </search>
  )
}

function Entry({ entry: { name = '', description, tier, status } }: { entry: RegistryEntry }) {
  return (
    <li className="panel">
      <h2>
        <Link to="/registry/$name" params={{ name }}>
          <ForeignText text={name} />
        </Link>
      </h2>
      <p>
        <ForeignText text={description} />
      </p>
      <p className="muted">
        {tier}
        {status === 'deprecated' && ' · deprecated'}
      </p>
    </li>
  )
}
