import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import type { UpgradePlan } from '@toolhaven/contract/upgrades'
import { messageOf } from '../api.ts'
import { isNotFound } from '../is-not-found.ts'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Problem } from '../parts/Problem.tsx'
import { upgradeQuery } from '../queries.ts'
import { NoSuchServer } from '../server/NoSuchServer.tsx'
import { UpgradeForm } from './UpgradeForm.tsx'

export const Route = createLazyRoute('/servers/$name/upgrade')({ component: UpgradePage })
const here = getRouteApi('/servers/$name/upgrade')

function UpgradePage() {
  const { name } = here.useParams()
  const { data: plan, error, isFetching, refetch } = useQuery(upgradeQuery(name))
  if (isNotFound(error)) return <NoSuchServer name={name} />
  return (
    <>
      <PageTitle title={`Upgrade ${name}`}>
        <button type="button" disabled={isFetching} onClick={() => void refetch()}>
          Look again
        </button>
        <Link to="/servers/$name" params={{ name }} className="button">
          Back to {name}
        </Link>
      </PageTitle>
      {error && <Problem message={messageOf(error)} />}
      {!plan && !error && <p role="status">Looking for a newer version …</p>}
      {plan && (plan.state === 'available' ? <UpgradeForm key={plan.to} plan={plan} /> : <NothingNewer plan={plan} />)}
    </>
  )
}

const SOURCES = {
  ...{ registry: 'the registry', npm: 'npm', pypi: 'PyPI', go: 'the Go module proxy', image: 'the tags of its image' },
} as const

function NothingNewer({ plan: { name, state, source, from, reason } }: { plan: UpgradePlan }) {
  const asked = source === undefined ? '' : ` in ${SOURCES[source]}`
  return (
    <section className={state === 'unknown' ? 'notice warning' : 'notice'} aria-label="Result">
      <p role="status">
        {state === 'current' && `${name} has the newest version${asked}.`}
        {state === 'unknown' && 'Toolhaven could not find out whether there is a newer version.'}
        {state === 'not-upgradable' && 'It has no versions to choose from.'}
        {from !== undefined && (
          <>
            {' '}
            It runs <ForeignText text={from} />.
          </>
        )}
      </p>
      {reason !== undefined && (
        <p>
          <ForeignText text={reason} />
        </p>
      )}
      <Code text={`thv upgrade ${name} --check`} label="Copy the command that shows the same" />
    </section>
  )
}
