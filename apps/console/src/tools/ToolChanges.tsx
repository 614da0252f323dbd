import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ToolChange, ToolLock } from '@toolhaven/contract/tools'
import { api, messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { toolLockQuery } from '../queries.ts'

/** What is no longer as it was accepted, word by word, and the button that accepts just what is shown. */
export function ToolChanges({ lock: { name, mode, changes, revision } }: { lock: ToolLock }) {
  const cache = useQueryClient()
  const accept = useMutation({
    mutationFn: (wanted: string) => api.call('acceptTools', { params: { name }, body: { revision: wanted } }),
    onSuccess: (lock) => cache.setQueryData(toolLockQuery(name).queryKey, lock),
  })
  const count = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`
  return (
    <section className="notice warning" aria-label="Changes">
      <h2>{count} since you accepted the tools</h2>
      <p>{mode === 'block' ? 'What changed is held back until you accept it.' : 'Clients see the changes already.'}</p>
      <ul className="plain-list">
        {changes.map((change) => (
          <li key={`${change.part} ${change.name}`} className="panel">
            <Change change={change} />
          </li>
        ))}
      </ul>
      {accept.error && <Problem message={messageOf(accept.error)} />}
      {revision !== undefined && (
        <div className="actions">
          <button type="button" className="primary" disabled={accept.isPending} onClick={() => accept.mutate(revision)}>
            Accept {count}
          </button>
        </div>
      )}
    </section>
  )
}

function Change({ change: { part, name, kind, fields } }: { change: ToolChange }) {
  return (
    <>
      <h3>
        {part.replace('_', ' ')} <ForeignText text={name} /> {kind}
      </h3>
      <dl className="facts">
        {fields.map(({ field, parts }) => (
          <div key={field} className="fact">
            <dt>
              <ForeignText text={field} />
            </dt>
            <dd className="difference">
              {parts.map(({ kind: partKind, text }, at) => {
                const Mark = partKind === 'added' ? 'ins' : partKind === 'removed' ? 'del' : 'span'
                return (
                  // oxlint-disable-next-line react/no-array-index-key -- the pieces of one text have no other name
                  <Mark key={at}>
                    <ForeignText text={text} />
                  </Mark>
                )
              })}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
