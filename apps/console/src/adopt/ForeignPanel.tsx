import { useQuery } from '@tanstack/react-query'
import type { ForeignServer } from '@toolhaven/contract/adopt'
import { useState } from 'react'
import { messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { groupsQuery, workloadsQuery } from '../queries.ts'
import { AdoptPlan } from './AdoptPlan.tsx'
import { keysOf, wishOf } from './describe-adoption.ts'
import type { Adopting } from './use-adopt.ts'

interface ForeignPanelProps {
  server: ForeignServer
  adopting: Adopting
}

/** A server that a client runs on its own: what adopting it changes, then the button. */
export function ForeignPanel({ server, adopting }: ForeignPanelProps) {
  const { name, becomes, obstacle, notes } = server
  const [group, setGroup] = useState('default')
  const [acceptsMounts, setAcceptsMounts] = useState(false)
  const [acceptsNetwork, setAcceptsNetwork] = useState(false)
  const isOwn = adopting.variables?.request.name === name
  const request = wishOf(server, { group, acceptsMounts, acceptsNetwork })
  const asksForMounts = becomes !== undefined && becomes.volumes.length > 0
  return (
    <section className="panel" aria-label={name}>
      <h2>
        <ForeignText text={name} />
      </h2>
      {becomes ? (
        <>
          <AdoptPlan server={server} request={request} />
          {notes.length > 0 && (
            <p className="notice warning">
              <ForeignText text={notes.join(' ')} />
            </p>
          )}
          <GroupChoice group={group} onChange={setGroup} />
          {asksForMounts && (
            <Confirmation label="Allow these files and folders" isOn={acceptsMounts} onChange={setAcceptsMounts} />
          )}
          {becomes.url !== undefined && (
            <Confirmation
              label="Its address may be on this machine or its network"
              isOn={acceptsNetwork}
              onChange={setAcceptsNetwork}
            />
          )}
          {isOwn && adopting.error && <Problem message={messageOf(adopting.error)} />}
          {isOwn && adopting.isPending && <Progress name={name} />}
          <div className="actions">
            <button
              type="button"
              className="primary"
              disabled={adopting.isPending || (asksForMounts && !acceptsMounts)}
              onClick={() => adopting.mutate({ request, hasKeys: keysOf(server).length > 0 })}
            >
              Adopt<span className="only-read-aloud"> {name}</span>
            </button>
          </div>
        </>
      ) : (
        <>
          <p>
            <code>
              <ForeignText text={server.command} />
            </code>
          </p>
          <p className="notice">
            It cannot be adopted: <ForeignText text={obstacle ?? ''} />
          </p>
        </>
      )}
    </section>
  )
}

function GroupChoice({ group, onChange }: { group: string; onChange: (group: string) => void }) {
  const { data: groups = [] } = useQuery(groupsQuery)
  if (groups.length < 2) return null
  return (
    <label className="field">
      Group
      <select value={group} onChange={(event) => onChange(event.target.value)}>
        {groups.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}

function Confirmation({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label className="choice-line">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  )
}

/** As the daemon reports the start. */
function Progress({ name }: { name: string }) {
  const { data: servers = [] } = useQuery(workloadsQuery)
  const server = servers.find((each) => each.name === name)
  return (
    <p role="status">
      Starting {name} …{' '}
      <span className="muted">
        <ForeignText text={server?.status_context ?? ''} />
      </span>
    </p>
  )
}
