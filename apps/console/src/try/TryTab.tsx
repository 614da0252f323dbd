import '../css/try.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, useLocation } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { workloadQuery } from '../queries.ts'
import { TransportFault } from './mcp-messages.ts'
import { OfferForm } from './OfferForm.tsx'
import { OfferList } from './OfferList.tsx'
import { listOffers, type Offer } from './offers.ts'
import { QuestionDialog } from './QuestionDialog.tsx'
import { TokenForm } from './TokenForm.tsx'
import { deskOf, type TryDesk } from './try-desk.ts'
import { TryList } from './TryList.tsx'
import type { TrySearch } from './try-search.ts'

export const Route = createLazyRoute('/servers/$name/try')({ component: TryTab })
const here = getRouteApi('/servers/$name/try')

function TryTab() {
  const { name } = here.useParams()
  const { data: server } = useQuery(workloadQuery(name))
  if (!server) return null
  if (server.status === 'stopped')
    return <p className="muted">The server is stopped. Start it to try what it offers.</p>
  return <TryServer key={name} server={server} />
}

function TryServer({ server }: { server: WorkloadDetails }) {
  const desk = deskOf(useQueryClient(), server.name)
  const { tries, questions } = useSyncExternalStore(desk.subscribe, desk.state)
  const {
    data: offers,
    error,
    refetch,
  } = useQuery({
    // Below the key of the server: what changes of it makes this stale too.
    queryKey: ['workload', server.name, 'offers'],
    queryFn: ({ signal }) => listOffers(desk.session, signal),
    enabled: server.status === 'running',
  })
  const search = here.useSearch()
  const chosen = offers && chosenOf(search, offers)
  const isLocked = error instanceof TransportFault && error.status === 401
  return (
    <>
      {isLocked && (
        <TokenForm
          server={server.name}
          says={error.message}
          onToken={(token) => {
            desk.useToken(token)
            void refetch()
          }}
        />
      )}
      {error && !isLocked && <Problem message={messageOf(error)} />}
      {!offers && !error && (
        <p className="muted">
          {server.status === 'running'
            ? `Asking ${server.name} what it offers …`
            : `What ${server.name} offers appears when it runs.`}
        </p>
      )}
      {offers && (
        <div className={chosen === undefined ? 'try' : 'try chosen'}>
          <OfferList server={server.name} offers={offers} />
          <div className="try-work">
            <Chosen server={server} desk={desk} offer={chosen} />
            <TryList server={server} desk={desk} tries={tries} />
          </div>
        </div>
      )}
      {questions[0] && <QuestionDialog key={questions[0].id} server={server.name} asked={questions[0]} />}
    </>
  )
}

interface ChosenProps {
  server: WorkloadDetails
  desk: TryDesk
  offer: Offer | 'gone' | undefined
}

function Chosen({ server, desk, offer }: ChosenProps) {
  const edition = useLocation({ select: ({ state }) => state.tryEdition })
  if (offer === undefined) return <p className="muted">Choose what to try.</p>
  if (offer === 'gone')
    return (
      <p>
        <ForeignText text={server.name} /> does not offer this now. Choose something else.
      </p>
    )
  return <OfferForm key={`${offer.kind} ${offer.id} ${edition}`} server={server} desk={desk} offer={offer} />
}

function chosenOf(search: TrySearch, offers: readonly Offer[]): Offer | 'gone' | undefined {
  for (const kind of ['tool', 'resource', 'template', 'prompt'] as const)
    if (search[kind] !== undefined)
      return offers.find((offer) => offer.kind === kind && offer.id === search[kind]) ?? 'gone'
  return undefined
}
