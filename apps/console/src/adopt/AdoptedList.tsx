import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Adoption } from '@toolhaven/contract/adopt'
import { api, messageOf } from '../api.ts'
import { clientTitle } from '@toolhaven/contract/client-titles'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'

export function AdoptedList({ adoptions }: { adoptions: readonly Adoption[] }) {
  const cache = useQueryClient()
  const undoing = useMutation({
    mutationFn: (name: string) => api.call('undoAdoption', { body: { name } }),
    onSettled: () => Promise.all(['clients', 'secrets'].map((key) => cache.invalidateQueries({ queryKey: [key] }))),
  })
  return (
    <section className="panel" aria-label="Adopted">
      <h2>Adopted</h2>
      {undoing.error && <Problem message={messageOf(undoing.error)} />}
      {undoing.data && undoing.data.notes.length > 0 && (
        <p className="notice" role="status">
          <ForeignText text={undoing.data.notes.join(' ')} />
        </p>
      )}
      <ul className="plain-list">
        {adoptions.map(({ name, found_in: places, secrets }) => (
          <li key={name} className="attention">
            <Link to="/servers/$name" params={{ name }}>
              {name}
            </Link>
            <span className="reason">
              <ForeignText
                text={places.map(({ client_type: client, file }) => `${clientTitle(client)}: ${file}`).join(', ')}
              />
            </span>
            <ConfirmButton
              verb="Undo"
              title={`Give ${name} back to its clients?`}
              className="small"
              isDisabled={undoing.isPending}
              onConfirm={() => undoing.mutate(name)}
            >
              <p>
                The entries are put back as they were, and the server {name} is removed.
                {secrets.length > 0 && (
                  <>
                    {' '}
                    These secrets are deleted too: <ForeignText text={secrets.join(', ')} />. Their values stand in the
                    files again.
                  </>
                )}
              </p>
            </ConfirmButton>
          </li>
        ))}
      </ul>
    </section>
  )
}
