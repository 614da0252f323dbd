import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api, messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Problem } from '../parts/Problem.tsx'
import { clientsQuery } from '../queries.ts'
import { deletionCommand, describeDeletion } from './describe-deletion.ts'

/** Asks what happens to the servers, and shows the effect before the group is deleted. */
export function DeleteGroup({ group, members }: { group: string; members: readonly string[] }) {
  const cache = useQueryClient()
  const { data: clients = [] } = useQuery(clientsQuery)
  const [withServers, setWithServers] = useState(false)
  const deletion = { group, members, clients, withServers }
  const deleting = useMutation({
    mutationFn: () =>
      api.call('deleteGroup', {
        params: { name: group },
        query: { 'with-workloads': withServers && members.length > 0 },
      }),
    onSettled: () =>
      Promise.all(['groups', 'workloads', 'clients'].map((key) => cache.invalidateQueries({ queryKey: [key] }))),
  })
  return (
    <>
      {deleting.error && <Problem message={messageOf(deleting.error)} />}
      <ConfirmButton
        verb="Delete"
        title={`Delete the group ${group}?`}
        className="small danger"
        isDisabled={deleting.isPending}
        onConfirm={() => deleting.mutate()}
      >
        <div className="plain-list">
          {members.length > 0 && <Fate withServers={withServers} onChange={setWithServers} />}
          {describeDeletion(deletion).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          <Code text={deletionCommand(deletion)} label="Copy the command that does the same" />
        </div>
      </ConfirmButton>
    </>
  )
}

function Fate({ withServers, onChange }: { withServers: boolean; onChange: (withServers: boolean) => void }) {
  const name = useId()
  return (
    <fieldset className="plain-fieldset">
      <legend>Its servers</legend>
      <label className="choice-line">
        <input type="radio" name={name} checked={!withServers} onChange={() => onChange(false)} />
        Move to the group default
      </label>
      <label className="choice-line">
        <input type="radio" name={name} checked={withServers} onChange={() => onChange(true)} />
        Remove them too
      </label>
    </fieldset>
  )
}
