import { useQuery } from '@tanstack/react-query'
import { ForeignText } from '../parts/ForeignText.tsx'
import { runtimeQuery } from '../queries.ts'
import { networkInForce, notEnforced } from './describe-confinement.ts'
import { confinementQuery } from './network-queries.ts'

/** What holds the server in, read from the running server itself, and what this machine cannot enforce. */
export function EnforcedPanel({ name }: { name: string }) {
  const { data: runtime } = useQuery(runtimeQuery)
  const { data: confinement } = useQuery(confinementQuery(name))
  const missing = notEnforced(confinement, runtime)
  return (
    <section className="panel" aria-label="Enforced">
      <h2>What this machine enforces</h2>
      {runtime && (
        <p>
          The runtime is <ForeignText text={runtime.sandbox ?? runtime.name} />.
        </p>
      )}
      {confinement === null && <p className="muted">The server is not running, so this page cannot check it.</p>}
      {confinement && <p>{networkInForce(confinement)}</p>}
      {missing.length > 0 && (
        <>
          <h3>Not enforced</h3>
          <ul className="plain-list" aria-label="Not enforced">
            {missing.map((sentence) => (
              <li key={sentence}>
                <ForeignText text={sentence} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
