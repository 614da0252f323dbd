import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import { clientTitle } from '@toolhaven/contract/client-titles'
import type { api } from '../api.ts'
import { PageTitle } from '../parts/PageTitle.tsx'
import { PageWithoutData } from '../parts/PageWithoutData.tsx'
import { clientsQuery, discoveryQuery, groupsQuery } from '../queries.ts'
import { ConnectOutcome } from './ConnectOutcome.tsx'
import { useConnect } from './use-connect.ts'

export const Route = createLazyRoute('/clients')({ component: ClientsPage })

const page = getRouteApi('/clients')

type Client = Awaited<ReturnType<typeof api.call<'discoverClients'>>>['clients'][number]

function ClientsPage() {
  const { data: found, error } = useQuery(discoveryQuery)
  const { data: groups, error: groupsError } = useQuery(groupsQuery)
  const { data: registered, error: registeredError } = useQuery(clientsQuery)
  const { all } = page.useSearch()
  const connecting = useConnect()
  // A switch must not appear before its state is known, or it would be turned the wrong way.
  if (!found || !groups || !registered)
    return <PageWithoutData title="Clients" error={error ?? groupsError ?? registeredError} />
  const names = groups.map(({ name }) => name)
  const isConnected = ({ client_type: type }: Client) => registered.some(({ name }) => name === type)
  const here = found.filter((client) => client.installed || isConnected(client))
  const isAll = all === true || here.length === 0
  // Those that can be connected now come first.
  const clients = isAll ? [...here, ...found.filter((client) => !here.includes(client))] : here
  return (
    <>
      <PageTitle title="Clients" />
      <p>
        A client that is connected to a group gets an entry for each of its servers. Your own entries stay as they are.
        Choose a client to see its file, and what would be written to it first.
      </p>
      <ConnectOutcome of={connecting} />
      <table className="table matrix">
        <caption className="only-read-aloud">Clients and the groups that they are connected to</caption>
        <thead>
          <tr>
            <th scope="col">Client</th>
            {names.map((group) => (
              <th key={group} scope="col">
                {group}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {clients.map((client) => (
            <ClientRow key={client.client_type} client={client} groups={names} connecting={connecting} />
          ))}
        </tbody>
      </table>
      {!isAll && (
        <p>
          <Link to="/clients" search={{ all: true }}>
            Show {found.length - here.length} more that are not installed here
          </Link>
        </p>
      )}
    </>
  )
}

interface ClientRowProps {
  client: Client
  groups: readonly string[]
  connecting: ReturnType<typeof useConnect>
}

function ClientRow({ client: { client_type: name, installed }, groups, connecting }: ClientRowProps) {
  const { data: registered = [] } = useQuery(clientsQuery)
  const own = registered.find((client) => client.name === name)?.groups ?? []
  const { isPending, variables } = connecting
  const isSaved = (group: string) =>
    isPending && variables.name === name && [...(variables.joins ?? []), ...(variables.leaves ?? [])].includes(group)
  return (
    <tr>
      <th scope="row">
        <Link to="/clients/$name" params={{ name }}>
          {clientTitle(name)}
        </Link>{' '}
        {!installed && <span className="muted">not installed here</span>}
      </th>
      {groups.map((group) => (
        <td key={group}>
          <label className="choice-line">
            <input
              type="checkbox"
              role="switch"
              aria-label={`${clientTitle(name)} in ${group}`}
              checked={own.includes(group)}
              // Not disabled, because a disabled switch would lose the focus.
              aria-disabled={connecting.isPending}
              aria-busy={isSaved(group)}
              onChange={(event) => {
                if (connecting.isPending) return
                connecting.mutate({ name, [event.target.checked ? 'joins' : 'leaves']: [group] })
              }}
            />
            <span className="group-name">{group}</span>
            {isSaved(group) && <span className="muted">saving …</span>}
          </label>
        </td>
      ))}
    </tr>
  )
}
