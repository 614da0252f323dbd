import { useQuery } from '@tanstack/react-query'
import type { RuntimeReport } from '@toolhaven/contract/runtime-report'
import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { runtimeQuery } from '../queries.ts'

const STATES = {
  healthy: { className: 'status status-running', text: '● works' },
  unhealthy: { className: 'status status-error', text: '▲ does not answer' },
  undetected: { className: 'status status-error', text: '▲ not found' },
} as const

/** Where servers run, and what this machine cannot enforce. */
export function RuntimeSection() {
  const { data: runtime, error } = useQuery(runtimeQuery)
  return (
    <section className="panel" aria-label="Runtime">
      <h2>Runtime</h2>
      {error && !runtime && <Problem message={messageOf(error)} />}
      {runtime && <Runtime runtime={runtime} />}
      <Code text="thv runtime check" label="Copy the command that shows the same" />
    </section>
  )
}

function Runtime({ runtime: { name, state, version, reason, sandbox, notes, tried } }: { runtime: RuntimeReport }) {
  const { className, text } = STATES[state]
  return (
    <>
      <p>
        Servers run on <strong>{name}</strong>
        {version !== undefined && ` ${version}`}: <span className={className}>{text}</span>
      </p>
      {reason !== undefined && <Problem message={reason} />}
      {sandbox !== undefined && (
        <p>
          Confined by <ForeignText text={sandbox} />.
        </p>
      )}
      {notes.length > 0 && (
        <ul className="plain-list notice warning" aria-label="What this machine cannot enforce">
          {notes.map((note) => (
            <li key={note}>
              <ForeignText text={note} />
            </li>
          ))}
        </ul>
      )}
      {tried.length > 0 && (
        <details>
          <summary>What was looked for</summary>
          <dl className="facts">
            {tried.map(({ candidate, outcome }) => (
              <div key={candidate} className="fact">
                <dt>
                  <ForeignText text={candidate} />
                </dt>
                <dd>
                  <ForeignText text={outcome} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  )
}
