import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { clientTitle } from '@toolhaven/contract/client-titles'
import { ForeignText } from '../parts/ForeignText.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { PageWithoutData } from '../parts/PageWithoutData.tsx'
import { Problem } from '../parts/Problem.tsx'
import { foreignQuery } from '../queries.ts'
import { AdoptedList } from './AdoptedList.tsx'
import { ForeignPanel } from './ForeignPanel.tsx'
import { useAdopt } from './use-adopt.ts'

export const Route = createLazyRoute('/adopt')({ component: AdoptPage })

function AdoptPage() {
  const { data: found, error } = useQuery(foreignQuery)
  const adopting = useAdopt()
  if (!found) return <PageWithoutData title="Adopt servers" error={error} />
  const { servers, adoptions, faults } = found
  return (
    <>
      <PageTitle title="Adopt servers" />
      <p>
        Your clients run these servers themselves, with all your rights. An adopted server runs in isolation, its keys
        lie in the secret store, and the clients reach it through Toolhaven. You can undo it.
      </p>
      {faults.map(({ client_type: client, reason }) => (
        <Problem key={client} message={`${clientTitle(client)}: ${reason}`} />
      ))}
      {adopting.data && adopting.data.notes.length > 0 && (
        <p className="notice" role="status">
          <ForeignText text={adopting.data.notes.join(' ')} />
        </p>
      )}
      {servers.length === 0 && (
        <p>
          No client has a server of its own. <Link to="/registry">Find one in the registry</Link>.
        </p>
      )}
      {servers.map((server) => (
        <ForeignPanel key={server.name} server={server} adopting={adopting} />
      ))}
      {adoptions.length > 0 && <AdoptedList adoptions={adoptions} />}
    </>
  )
}
