import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { DoctorReport } from '@toolhaven/contract/doctor'
import { api, messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { Problem } from '../parts/Problem.tsx'
import { DoctorChecks } from './DoctorChecks.tsx'

const GRADES = {
  A: 'no findings',
  B: 'warnings',
  C: 'one check failed',
  D: 'several checks failed',
  F: 'it does not work',
} as const

/** Runs only when the user asks: it connects to every server, and a link from elsewhere must not make it do so. */
export function DoctorSection() {
  const {
    data: report,
    error,
    isFetching,
    refetch,
  } = useQuery({
    queryKey: ['doctor'],
    queryFn: ({ signal }) => api.call('runDoctor', {}, signal),
    enabled: false,
    retry: false,
  })
  return (
    <section className="panel" aria-label="Doctor" aria-busy={isFetching}>
      <div className="page-title">
        <h2>Doctor</h2>
        <button type="button" disabled={isFetching} onClick={() => void refetch()}>
          {report ? 'Check again' : 'Check the machine and all servers'}
        </button>
      </div>
      <p role="status">
        {isFetching && 'Looking at the machine and connecting to each server …'}
        {!isFetching && report && `Grade ${report.grade}: ${GRADES[report.grade]}.`}
      </p>
      {error && <Problem message={messageOf(error)} />}
      {report && <Report report={report} />}
      <Code text="thv doctor" label="Copy the command that does the same" />
    </section>
  )
}

function Report({ report: { machine, workloads } }: { report: DoctorReport }) {
  return (
    <>
      <h3>This machine: grade {machine.grade}</h3>
      <DoctorChecks label="This machine" checks={machine.checks} />
      {workloads.map(({ name, grade, checks }) => (
        <section key={name} className="plain-list" aria-label={`Findings of ${name}`}>
          <h3>
            <Link to="/servers/$name" params={{ name }}>
              {name}
            </Link>
            : grade {grade}
          </h3>
          <DoctorChecks label={name} checks={checks} />
        </section>
      ))}
    </>
  )
}
