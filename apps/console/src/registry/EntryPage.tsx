import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import { ForeignText } from '../parts/ForeignText.tsx'
import { OutsideLink } from '../parts/OutsideLink.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { PageWithoutData } from '../parts/PageWithoutData.tsx'
import { registryQuery } from '../queries.ts'
import { describePermissions } from '../server/describe-permissions.ts'
import type { RegistryEntry } from './choose-entries.ts'

export const Route = createLazyRoute('/registry/$name')({ component: EntryPage })
const here = getRouteApi('/registry/$name')

function EntryPage() {
  const { name } = here.useParams()
  const { data: all, error } = useQuery(registryQuery)
  if (!all) return <PageWithoutData title={name} error={error} />
  const entry = all.find((each) => each.name === name)
  if (!entry)
    return (
      <>
        <PageTitle title="No such entry" />
        <p>
          The registry has no server <ForeignText text={name} />.{' '}
          <Link to="/registry" search={{ q: name }}>
            Search for it
          </Link>{' '}
          or see <Link to="/registry">all entries</Link>.
        </p>
      </>
    )
  return (
    <>
      <PageTitle title={name}>
        <Link to="/run" search={{ server: name }} className="button primary">
          Run
        </Link>
      </PageTitle>
      <p>
        <ForeignText text={entry.description} />
      </p>
      <Permissions entry={entry} />
      <Variables entry={entry} />
      <NeededArguments entry={entry} />
      <Tools tools={entry.tools} />
      {entry.repository_url && (
        <p>
          Sources: <OutsideLink address={entry.repository_url} />
        </p>
      )}
      {entry.source && (
        <p>
          Taken from: <OutsideLink address={entry.source} />
        </p>
      )}
    </>
  )
}

function Permissions({ entry }: { entry: RegistryEntry }) {
  const sentences = describePermissions({
    remote: 'url' in entry,
    // Without a profile the daemon takes its built-in one, which lets a server reach every public host.
    permission_profile: entry.permissions ?? { network: { outbound: { insecure_allow_all: true } } },
  })
  return (
    <section className="panel" aria-label="Permissions">
      <h2>What it asks for</h2>
      <ul className="plain-list">
        {sentences
          .filter((sentence) => sentence !== 'Gets no secret.')
          .map((sentence) => (
            <li key={sentence}>
              <ForeignText text={sentence} />
            </li>
          ))}
      </ul>
    </section>
  )
}

function Variables({ entry: { env_vars = [] } }: { entry: RegistryEntry }) {
  if (env_vars.length === 0) return null
  return (
    <section className="panel" aria-label="Variables">
      <h2>What it needs to know</h2>
      <dl className="facts">
        {env_vars.map(({ name, description, required, secret, choices }) => (
          <div key={name} className="fact">
            <dt>
              <code>
                <ForeignText text={name} />
              </code>
            </dt>
            <dd>
              <ForeignText text={description} /> {required ? 'Required.' : 'Optional.'}
              {secret && ' Kept as a secret.'}
              {choices && (
                <>
                  {' One of: '}
                  <ForeignText text={choices.join(', ')} />
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function NeededArguments({ entry }: { entry: RegistryEntry }) {
  const needed = 'args_needed' in entry ? (entry.args_needed ?? []) : []
  if (needed.length === 0) return null
  return (
    <section className="panel" aria-label="Arguments">
      <h2>Arguments it needs</h2>
      <p>Pass all of them when you run the server, with your own value for each part in angle brackets.</p>
      <p>
        <code>
          <ForeignText text={needed.join(' ')} />
        </code>
      </p>
    </section>
  )
}

function Tools({ tools }: { tools: readonly string[] }) {
  return (
    <section className="panel" aria-label="Tools">
      <h2>{tools.length === 1 ? '1 tool' : `${tools.length} tools`}</h2>
      <p>
        <ForeignText text={tools.join(', ')} />
      </p>
    </section>
  )
}
