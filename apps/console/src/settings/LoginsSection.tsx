import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Problem } from '../parts/Problem.tsx'

const dateOf = (text: string) => new Date(text).toLocaleString('en')

/** Where a login is needed: the browsers that have one. Nothing elsewhere. */
export function LoginsSection() {
  const cache = useQueryClient()
  const { data: logins = [] } = useQuery({
    queryKey: ['logins'],
    queryFn: async ({ signal }) => (await api.call('listConsoleLogins', {}, signal)).logins,
    // No event tells of them.
    staleTime: 0,
  })
  const ending = useMutation({
    mutationFn: (id: string) => api.call('deleteConsoleLogin', { params: { id } }),
    onSettled: () => cache.invalidateQueries({ queryKey: ['logins'] }),
  })
  if (logins.length === 0) return null
  return (
    <section className="panel" aria-label="Logins">
      <h2>Browsers that are logged in</h2>
      {ending.error && <Problem message={messageOf(ending.error)} />}
      <ul className="plain-list">
        {logins.map(({ id, created_at: created, expires_at: expires }) => (
          <li key={id} className="attention">
            <span className="reason">
              Since {dateOf(created)}, until {dateOf(expires)}
            </span>
            <ConfirmButton
              verb="Log out"
              title="Log this browser out?"
              className="small"
              isDisabled={ending.isPending}
              onConfirm={() => ending.mutate(id)}
            >
              <p>The browser that logged in on {dateOf(created)} needs a new link. It may be this one.</p>
            </ConfirmButton>
          </li>
        ))}
      </ul>
      <Code text="thv ui --log-out" label="Copy the command that logs every browser out" />
    </section>
  )
}
