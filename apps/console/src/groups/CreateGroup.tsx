import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { quoted } from '../parts/quoted.ts'
import { Problem } from '../parts/Problem.tsx'
import { groupsQuery } from '../queries.ts'
import { TextField } from '../run/TextField.tsx'

export function CreateGroup() {
  const cache = useQueryClient()
  const [name, setName] = useState('')
  const wanted = name.trim()
  const creating = useMutation({
    mutationFn: () => api.call('createGroup', { body: { name: wanted } }),
    onSuccess: () => {
      setName('')
      return cache.invalidateQueries(groupsQuery)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creating.mutate()
  }
  return (
    <form className="panel" onSubmit={submit} aria-label="Create a group">
      <TextField
        label="Name of a new group"
        value={name}
        isRequired
        onChange={(next) => {
          creating.reset()
          setName(next)
        }}
      />
      {creating.error && <Problem message={messageOf(creating.error)} />}
      <div className="actions">
        <button type="submit" className="primary" disabled={creating.isPending}>
          Create
        </button>
        {wanted !== '' && !creating.error && (
          <Code text={`thv group create ${quoted(wanted)}`} label="Copy the command that does the same" />
        )}
        <span role="status" className="muted">
          {creating.data && wanted === '' && `The group ${creating.data.name} is created.`}
        </span>
      </div>
    </form>
  )
}
