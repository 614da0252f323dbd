import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import type { RegistryInfo } from '@toolhaven/contract/registry'
import { messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Problem } from '../parts/Problem.tsx'
import { registryInfoQuery } from './registry-info-query.ts'
import { SourceForm } from './SourceForm.tsx'
import { useRefresh } from './use-source.ts'

export const Route = createLazyRoute('/registry-source')({ component: SourcePage })

function SourcePage() {
  const { data: registry, error } = useQuery(registryInfoQuery)
  const refreshing = useRefresh()
  return (
    <>
      <PageTitle title="Registry source">
        <button type="button" disabled={refreshing.isPending} onClick={() => refreshing.mutate()}>
          Refresh
        </button>
      </PageTitle>
      {error && !registry && <Problem message={messageOf(error)} />}
      {refreshing.error && <Problem message={`${messageOf(refreshing.error)} The last valid copy stays in use.`} />}
      {registry && <Source registry={registry} />}
      <p role="status" className="muted">
        {refreshing.isPending && 'Reading the registry …'}
        {refreshing.isSuccess && 'The registry was read again.'}
      </p>
      {/* Also when the source in use cannot be read: another one is the way out. */}
      {(registry ?? error) && <SourceForm current={registry} />}
    </>
  )
}

function Source({
  registry: { type, source, version, last_updated, server_count: count, left_out: leftOut = 0 },
}: {
  registry: RegistryInfo
}) {
  return (
    <section className="panel" aria-label="In use">
      <h2>In use</h2>
      <dl className="facts">
        <dt>Source</dt>
        <dd>{type === 'default' ? 'Built into Toolhaven' : <ForeignText text={source} />}</dd>
        <dt>Version</dt>
        <dd>
          <ForeignText text={version} />
        </dd>
        <dt>Last changed</dt>
        <dd>
          <ForeignText text={last_updated} />
        </dd>
        <dt>Servers</dt>
        <dd>
          <Link to="/registry">{count === 1 ? '1 server' : `${count} servers`}</Link>
          {leftOut > 0 && `, not listed because they cannot run here: ${leftOut}`}
        </dd>
      </dl>
    </section>
  )
}
