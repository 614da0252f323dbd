import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import { messageOf } from '../api.ts'
import { isNotFound } from '../is-not-found.ts'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Problem } from '../parts/Problem.tsx'
import { registryQuery } from '../queries.ts'
import { NoSuchServer } from '../server/NoSuchServer.tsx'
import { fillIn } from './edit-base.ts'
import { EditForm } from './EditForm.tsx'
import { editBaseQuery } from './edit-queries.ts'

export const Route = createLazyRoute('/servers/$name/edit')({ component: EditPage })
const here = getRouteApi('/servers/$name/edit')

function EditPage() {
  const { name } = here.useParams()
  const { add } = here.useSearch()
  const { data: base, error, isFetchedAfterMount } = useQuery(editBaseQuery(name))
  // Without a registry, the form has only the configured fields.
  const { data: entries, isPending } = useQuery(registryQuery)
  const entry = entries?.find((each) => each.name === (base?.request.image ?? base?.request.url))
  if (isNotFound(error)) return <NoSuchServer name={name} />
  return (
    <>
      <PageTitle title={`Edit ${name}`}>
        <Link to="/servers/$name/configuration" params={{ name }} className="button">
          Back to {name}
        </Link>
      </PageTitle>
      {error && <Problem message={messageOf(error)} />}
      {base && isFetchedAfterMount && !isPending ? (
        <EditForm key={name} current={fillIn(base, entry, add)} entry={entry} />
      ) : (
        !error && <p className="muted">Asking the daemon …</p>
      )}
    </>
  )
}
