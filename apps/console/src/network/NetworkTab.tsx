import '../css/network.css'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../api.ts'
import type { EditBase } from '../edit/edit-base.ts'
import { editBaseQuery } from '../edit/edit-queries.ts'
import { UndoNotice } from '../edit/UndoNotice.tsx'
import { Problem } from '../parts/Problem.tsx'
import { registryQuery } from '../queries.ts'
import { TextField } from '../run/TextField.tsx'
import { networkSentence } from '../server/describe-permissions.ts'
import { EnforcedPanel } from './EnforcedPanel.tsx'
import { Learn } from './Learn.tsx'
import { changeOf } from './network-changes.ts'
import { NetworkChange } from './NetworkChange.tsx'
import { lessonQuery } from './network-queries.ts'
import { placesOf } from './places.ts'
import { PlaceTable } from './PlaceTable.tsx'

export const Route = createLazyRoute('/servers/$name/network')({ component: NetworkTab })
const here = getRouteApi('/servers/$name/network')

function NetworkTab() {
  const { name } = here.useParams()
  const { data: base, error } = useQuery(editBaseQuery(name))
  if (!base) return error ? <Problem message={messageOf(error)} /> : <p className="muted">Asking the daemon …</p>
  if (base.details.remote)
    return <p>This server runs elsewhere. Toolhaven cannot see or limit what it reaches there.</p>
  return <Network base={base} />
}

function Network({ base }: { base: EditBase }) {
  const { name, details, request } = base
  const search = here.useSearch()
  const navigate = here.useNavigate()
  const { data: lesson } = useQuery(lessonQuery(name))
  const { data: entries } = useQuery(registryQuery)
  const asked = entries?.find((entry) => entry.name === request.image)?.permissions
  const isObserved = details.network_isolation_mode === 'observe'
  const places = placesOf({ asked, given: details.permission_profile, lesson, isObserved })
  const change = changeOf(base, lesson, search)
  const plan = change && (
    <NetworkChange
      key={JSON.stringify(search)}
      base={base}
      change={change}
      onDone={() => void navigate({ search: {}, replace: true, resetScroll: false })}
    />
  )
  const isHostNetwork = details.network_mode === 'host'
  return (
    <>
      <UndoNotice key={base.revision} base={base} />
      <section className="panel" aria-label="Hosts">
        <h2>What it reaches</h2>
        <p>{networkSentence(details)}</p>
        {asked && <p className="muted">The registry asks for this: {networkSentence({ permission_profile: asked })}</p>}
        {places.length > 0 && <PlaceTable name={name} places={places} />}
        {lesson && lesson.evidence.length + lesson.left_out.length === 0 && (
          <p className="muted">It has made no connections since {new Date(lesson.since).toLocaleString('en')}.</p>
        )}
        {search.step === undefined && plan}
        {!isHostNetwork && <AllowForm onAllow={(allow) => void navigate({ search: { allow }, resetScroll: false })} />}
      </section>
      {!isHostNetwork && <Learn name={name} isObserved={isObserved} lesson={lesson} chosen={search.step} plan={plan} />}
      <EnforcedPanel name={name} />
    </>
  )
}

function AllowForm({ onAllow }: { onAllow: (host: string) => void }) {
  const [host, setHost] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (host.trim() === '') return
    onAllow(host.trim())
    setHost('')
  }
  return (
    <form onSubmit={submit} className="allow-host" aria-label="Allow a host">
      <TextField
        label="Another host"
        help="Such as api.example.com, *.example.com, or localhost:5432 for a service of this machine"
        value={host}
        onChange={setHost}
      />
      <div className="actions">
        <button type="submit">Allow</button>
      </div>
    </form>
  )
}
