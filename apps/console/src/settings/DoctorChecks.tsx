import { Link } from '@tanstack/react-router'
import type { DoctorCheck } from '@toolhaven/contract/doctor'
import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { useLifecycle } from '../servers/use-lifecycle.ts'
import { doctorFix, isCommand, sortChecks } from './doctor-fix.ts'

const MARKS = {
  ok: { className: 'status status-running', text: '● ok' },
  info: { className: 'status status-stopped', text: '○ info' },
  warning: { className: 'status status-unhealthy', text: '▲ warning' },
  failed: { className: 'status status-error', text: '▲ failed' },
} as const

export function DoctorChecks({ label, checks }: { label: string; checks: readonly DoctorCheck[] }) {
  return (
    <ul className="plain-list checks" aria-label={label}>
      {sortChecks(checks).map(({ check, status, found, fix }) => (
        <li key={`${check} ${found}`} className="check">
          <span className={MARKS[status].className}>{MARKS[status].text}</span>
          <strong>{check}</strong>
          <span className="found-text">
            <ForeignText text={found} />
          </span>
          {fix !== undefined && (
            <div className="fix actions">
              <FixOfFinding fix={fix} />
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The one thing that fixes it: a button where the console can do it, and the command or the advice. */
function FixOfFinding({ fix }: { fix: string }) {
  const known = doctorFix(fix)
  return (
    <>
      {known?.kind === 'restart' && <RestartButton name={known.name} />}
      {known?.kind === 'logs' && (
        <Link to="/servers/$name/logs" params={{ name: known.name }} className="button small">
          Open the log<span className="only-read-aloud"> of {known.name}</span>
        </Link>
      )}
      {known?.kind === 'secret' && (
        <Link to="/secrets" search={{ key: known.key }} className="button small">
          Add {known.key}
        </Link>
      )}
      {known?.kind === 'page' && (
        <Link to={known.to} className="button small">
          {known.label}
        </Link>
      )}
      {isCommand(fix) ? (
        <Code text={fix} label="Copy the command that fixes it" />
      ) : (
        <span>
          To fix it: <ForeignText text={fix} />
        </span>
      )}
    </>
  )
}

function RestartButton({ name }: { name: string }) {
  const lifecycle = useLifecycle()
  return (
    <>
      {lifecycle.error && <Problem message={messageOf(lifecycle.error)} />}
      <button
        type="button"
        className="small"
        disabled={lifecycle.isPending}
        onClick={() => lifecycle.mutate({ verb: 'restart', names: [name] })}
      >
        Restart<span className="only-read-aloud"> {name}</span>
      </button>
    </>
  )
}
