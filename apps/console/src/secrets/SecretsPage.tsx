import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, messageOf } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Problem } from '../parts/Problem.tsx'
import { secretsQuery, secretUsesQuery } from '../queries.ts'
import { TextField } from '../run/TextField.tsx'
import { createSecret, replaceSecret } from './store-secret.ts'

export const Route = createLazyRoute('/secrets')({ component: SecretsPage })
const here = getRouteApi('/secrets')

function SecretsPage() {
  const { key = '' } = here.useSearch()
  const { data: keys, error } = useQuery(secretsQuery)
  // The form begins again with each wish to replace one, also the same one twice.
  const [round, setRound] = useState(0)
  return (
    <>
      <PageTitle title="Secrets" />
      <p>Servers get a secret as a variable. Its value is stored encrypted and never shown, not even here.</p>
      <SecretForm key={`${round} ${key}`} initialKey={key} keys={keys ?? []} />
      {error && <Problem message={messageOf(error)} />}
      {keys?.length === 0 && <p>There are no secrets yet.</p>}
      {keys && keys.length > 0 && <SecretTable keys={keys} onReplace={() => setRound(round + 1)} />}
    </>
  )
}

/** One form stores a new secret and gives a new value to one that is there. */
function SecretForm({ initialKey, keys }: { initialKey: string; keys: readonly string[] }) {
  const cache = useQueryClient()
  const [key, setKey] = useState(initialKey)
  const [value, setValue] = useState('')
  const isKnown = keys.includes(key)
  const storing = useMutation({
    mutationFn: () => (isKnown ? replaceSecret : createSecret)(api, key, value),
    onSuccess: () => {
      setKey('')
      setValue('')
      return cache.invalidateQueries(secretsQuery)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    storing.mutate()
  }
  return (
    <form className="panel" onSubmit={submit} aria-label="Store a secret">
      <TextField label="Name" value={key} isRequired onChange={setKey} />
      <TextField label="Value" type="password" value={value} isRequired onChange={setValue} />
      {isKnown && <p>{key} gets this value. Servers that use it have the old one until they restart.</p>}
      {storing.error && <Problem message={messageOf(storing.error)} />}
      <div className="actions">
        <button type="submit" className="primary" disabled={storing.isPending}>
          {isKnown ? 'Replace' : 'Store'}
        </button>
        <span role="status" className="muted">
          {storing.data?.message}
        </span>
      </div>
    </form>
  )
}

function SecretTable({ keys, onReplace }: { keys: readonly string[]; onReplace: () => void }) {
  const cache = useQueryClient()
  const { data: uses = [] } = useQuery(secretUsesQuery)
  const userNames = (key: string) => uses.find((use) => use.key === key)?.workloads.join(', ') ?? ''
  const removing = useMutation({
    mutationFn: (key: string) => api.call('deleteSecret', { params: { key } }),
    onSuccess: () => cache.invalidateQueries(secretsQuery),
  })
  return (
    <>
      {removing.error && <Problem message={messageOf(removing.error)} />}
      <table className="table">
        <caption className="only-read-aloud">Stored secrets</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Used by</th>
            <th scope="col">
              <span className="only-read-aloud">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key}>
              <th scope="row">
                <code>
                  <ForeignText text={key} />
                </code>
              </th>
              <td>{userNames(key) || 'no server'}</td>
              <td className="fits">
                <div className="actions">
                  <Link to="/secrets" search={{ key }} onClick={onReplace} className="button small">
                    Replace<span className="only-read-aloud"> {key}</span>
                  </Link>
                  <ConfirmButton
                    verb="Delete"
                    title={`Delete ${key}?`}
                    className="small danger"
                    onConfirm={() => removing.mutate(key)}
                  >
                    <p>
                      Its value is lost.
                      {userNames(key) && ` ${userNames(key)} cannot start again until you store a new value.`}
                    </p>
                  </ConfirmButton>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
