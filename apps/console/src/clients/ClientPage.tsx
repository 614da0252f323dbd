import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import { clientTitle } from '@toolhaven/contract/client-titles'
import type { ClientType } from '@toolhaven/contract/client-types'
import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { PageWithoutData } from '../parts/PageWithoutData.tsx'
import { Problem } from '../parts/Problem.tsx'
import { clientPreviewQuery, clientsQuery, discoveryQuery, groupsQuery } from '../queries.ts'
import { ClientFilePanel } from './ClientFilePanel.tsx'
import { ConnectOutcome } from './ConnectOutcome.tsx'
import { connectCommands } from './connect-commands.ts'
import { ForeignEntries } from './ForeignEntries.tsx'
import { useConnect } from './use-connect.ts'

export const Route = createLazyRoute('/clients/$name')({ component: ClientPage })
const here = getRouteApi('/clients/$name')

function ClientPage() {
  const { name } = here.useParams()
  const { data: known, error } = useQuery(discoveryQuery)
  if (!known) return <PageWithoutData title={clientTitle(name)} error={error} />
  const client = known.find(({ client_type: type }) => type === name)
  if (!client)
    return (
      <>
        <PageTitle title="No such client" />
        <p>
          No client is called <ForeignText text={name} />. See <Link to="/clients">all clients</Link>.
        </p>
      </>
    )
  return (
    <>
      <PageTitle title={clientTitle(name)} />
      <ConnectClient name={client.client_type} isInstalled={client.installed} />
    </>
  )
}

interface ConnectClientProps {
  name: ClientType
  isInstalled: boolean
}

/** The chosen groups, the file that they lead to, and the button. */
function ConnectClient({ name, isInstalled }: ConnectClientProps) {
  const navigate = here.useNavigate()
  const { data: groups } = useQuery(groupsQuery)
  const { data: registered } = useQuery(clientsQuery)
  const names = groups?.map((group) => group.name) ?? []
  const own = registered?.find((client) => client.name === name)?.groups ?? []
  const { groups: wanted = own.join(',') } = here.useSearch()
  // An old link may name groups that no longer exist.
  const chosen = names.filter((group) => wanted.split(',').includes(group))
  const question = clientPreviewQuery(name, chosen)
  const isKnown = groups !== undefined && registered !== undefined
  const { data, error, isFetching } = useQuery({ ...question, enabled: isKnown, placeholderData: keepPreviousData })
  const connecting = useConnect()
  if (!isKnown || (!data && !error)) return <p className="muted">Asking the daemon …</p>
  const joins = chosen.filter((group) => !own.includes(group))
  const leaves = own.filter((group) => !chosen.includes(group))
  const isChanged = joins.length + leaves.length > 0
  const change = { name, joins, leaves }
  return (
    <>
      <p>
        {isInstalled ? 'It is installed.' : 'It is not installed here. It gets its entries once it is.'}
        {data?.reads && ` It reads a changed file ${data.reads}.`}
      </p>
      <GroupChoice
        names={names}
        chosen={chosen}
        onChange={(next) => void navigate({ search: { groups: next.join(',') }, replace: true })}
      />
      {error && <Problem message={messageOf(error)} />}
      <ConnectOutcome of={connecting} />
      <div aria-busy={isFetching}>
        {data?.files.map((file) => (
          <ClientFilePanel key={file.path} file={file} />
        ))}
      </div>
      {isChanged && (
        <section className="notice" aria-label="Write">
          <div className="actions">
            <button
              type="button"
              className="primary"
              disabled={connecting.isPending}
              onClick={() => connecting.mutate(change)}
            >
              Write it
            </button>
          </div>
          {connectCommands(change).map((command) => (
            <Code key={command} text={command} label="Copy the command that does the same" />
          ))}
        </section>
      )}
      {data && <ForeignEntries preview={data} />}
    </>
  )
}

interface GroupChoiceProps {
  names: readonly string[]
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}

function GroupChoice({ names, chosen, onChange }: GroupChoiceProps) {
  const withChange = (group: string, isOn: boolean) =>
    names.filter((each) => (each === group ? isOn : chosen.includes(each)))
  return (
    <fieldset className="panel">
      <legend>Groups whose servers it sees</legend>
      {names.map((group) => (
        <label key={group} className="choice-line">
          <input
            type="checkbox"
            checked={chosen.includes(group)}
            onChange={({ target }) => onChange(withChange(group, target.checked))}
          />
          {group}
        </label>
      ))}
    </fieldset>
  )
}
