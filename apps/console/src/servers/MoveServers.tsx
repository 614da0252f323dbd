import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { Problem } from '../parts/Problem.tsx'
import { groupsQuery } from '../queries.ts'

interface MoveServersProps {
  names: readonly string[]
  /** Where all of them are now, if that is one group. */
  from?: string | undefined
  onDone: () => void
}

/** Moves servers to another group. They go on running; other clients see them. */
export function MoveServers({ names, from, onDone }: MoveServersProps) {
  const { data: groups = [] } = useQuery(groupsQuery)
  const [chosen, setChosen] = useState('')
  const moving = useMove()
  const offered = groups.map(({ name }) => name).filter((name) => name !== from)
  const group = offered.includes(chosen) ? chosen : ''
  if (offered.length === 0)
    return (
      <p className="muted">
        There is no other group. <Link to="/groups">Create one</Link> to move servers to it.
      </p>
    )
  return (
    <>
      {moving.error && <Problem message={messageOf(moving.error)} />}
      <div className="actions">
        <label className="choice-line">
          Move to
          <select value={group} onChange={(event) => setChosen(event.target.value)}>
            <option value="">…</option>
            {offered.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <button
          type="button"
          className="small"
          disabled={names.length === 0 || group === '' || moving.isPending}
          onClick={() => moving.mutate({ names, group }, { onSuccess: onDone })}
        >
          Move
        </button>
        {names.length > 0 && group !== '' && (
          <Code text={`thv move ${names.join(' ')} --group ${group}`} label="Copy the command that moves them" />
        )}
      </div>
    </>
  )
}

interface Move {
  names: readonly string[]
  group: string
}

/** Each server on its own: what fails says so, and the others are moved all the same. */
function useMove() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: async ({ names, group }: Move) => {
      const moves = names.map((name) => api.call('editWorkload', { params: { name }, body: { group } }))
      const outcomes = await Promise.allSettled(moves)
      const reasons = outcomes.flatMap((outcome, at) =>
        outcome.status === 'rejected' ? [`${names[at]} was not moved: ${messageOf(outcome.reason)}`] : [],
      )
      if (reasons.length > 0) throw new Error(reasons.join('\n'))
    },
    onSettled: () =>
      Promise.all(['workloads', 'workload', 'groups'].map((key) => cache.invalidateQueries({ queryKey: [key] }))),
  })
}
