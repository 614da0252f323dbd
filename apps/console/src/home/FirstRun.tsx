import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { Workload } from '@toolhaven/contract/workloads'
import { messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { clientsQuery, foreignQuery, runtimeQuery } from '../queries.ts'
import { wasToolCalled } from './first-run-choice.ts'
import { type FirstRunStep, firstRunSteps } from './first-run-steps.ts'

/** The first steps, with their state from the daemon. Hidden when all are done or the user dismisses the list. */
export function FirstRun({ servers, onDismiss }: { servers: readonly Workload[]; onDismiss: () => void }) {
  const runtime = useQuery(runtimeQuery)
  const foreign = useQuery(foreignQuery)
  const clients = useQuery(clientsQuery)
  const error = runtime.error ?? foreign.error ?? clients.error
  if (error) return <Problem message={messageOf(error)} />
  if (!runtime.data || !foreign.data || !clients.data) return null
  const steps = firstRunSteps({
    runtime: runtime.data,
    foreign: foreign.data,
    clients: clients.data,
    servers,
    wasCalled: wasToolCalled(),
  })
  if (steps.every(({ isDone }) => isDone)) return null
  return (
    <section className="panel" aria-label="First steps">
      <div className="page-title">
        <h2>First steps</h2>
        <button type="button" className="small quiet" onClick={onDismiss}>
          Do not show again
        </button>
      </div>
      <ol className="steps">
        {steps.map((step) => (
          <StepLine key={step.title} step={step} />
        ))}
      </ol>
    </section>
  )
}

function StepLine({ step: { title, isDone, found, next } }: { step: FirstRunStep }) {
  const { history } = useRouter()
  return (
    <li className={isDone ? 'done' : ''}>
      <span aria-hidden="true" className="step-mark">
        {isDone ? '✓' : '○'}
      </span>
      <div>
        <h3>
          {title}
          <span className="only-read-aloud">{isDone ? ' (done)' : ' (to do)'}</span>
        </h3>
        <p className="muted">
          <ForeignText text={found} />
        </p>
      </div>
      {next && (
        <a
          href={next.to}
          className="button small"
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return
            event.preventDefault()
            history.push(next.to)
          }}
        >
          {next.label}
        </a>
      )}
    </li>
  )
}
