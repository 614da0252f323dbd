import { Link } from '@tanstack/react-router'
import { clientTitle } from '@toolhaven/contract/client-titles'
import type { Group } from '@toolhaven/contract/groups'
import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import type { Workload } from '@toolhaven/contract/workloads'
import { useState } from 'react'
import { StatusBadge } from '../parts/StatusBadge.tsx'
import { MoveServers } from '../servers/MoveServers.tsx'
import { DeleteGroup } from './DeleteGroup.tsx'

interface GroupPanelProps {
  group: Group
  members: readonly Workload[]
}

/** A group with its servers, which can be moved from here. */
export function GroupPanel({ group: { name, registered_clients: clients }, members }: GroupPanelProps) {
  return (
    <section className="panel" aria-label={name}>
      <div className="page-title">
        <h2>{name}</h2>
        {name === DEFAULT_GROUP ? (
          <span className="muted">Cannot be deleted</span>
        ) : (
          <DeleteGroup group={name} members={members.map((server) => server.name)} />
        )}
      </div>
      <p>
        {members.length === 0 ? (
          'No servers.'
        ) : (
          <Link to="/servers" search={{ group: name }}>
            {countOf(members)}
          </Link>
        )}{' '}
        {clients.length === 0 ? 'No client is connected to it. ' : `Seen by ${listOf(clients.map(clientTitle))}. `}
        <Link to="/clients">
          Connect clients<span className="only-read-aloud"> to {name}</span>
        </Link>
      </p>
      {members.length > 0 && <Members group={name} members={members} />}
    </section>
  )
}

function Members({ group, members }: { group: string; members: readonly Workload[] }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (name: string) => {
    const next = new Set(chosen)
    if (!next.delete(name)) next.add(name)
    setChosen(next)
  }
  // Ignores servers that were moved or removed in the meantime.
  const names = members.map(({ name }) => name).filter((name) => chosen.has(name))
  return (
    <details>
      <summary>Servers of {group}</summary>
      <ul className="plain-list members">
        {members.map(({ name, status }) => (
          <li key={name} className="choice-line">
            <input
              type="checkbox"
              aria-label={`Choose ${name}`}
              checked={chosen.has(name)}
              onChange={() => toggle(name)}
            />
            <Link to="/servers/$name" params={{ name }}>
              {name}
            </Link>
            <StatusBadge status={status} />
          </li>
        ))}
      </ul>
      <MoveServers names={names} from={group} onDone={() => setChosen(new Set())} />
    </details>
  )
}

function countOf(members: readonly Workload[]): string {
  const running = members.filter(({ status }) => status === 'running').length
  return `${members.length} ${members.length === 1 ? 'server' : 'servers'}, ${running} running.`
}

function listOf(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items)
}
