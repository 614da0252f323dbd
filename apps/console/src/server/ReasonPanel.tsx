import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { ForeignText } from '../parts/ForeignText.tsx'
import { lastLinesQuery } from '../queries.ts'
import { FixButton } from '../servers/FixButton.tsx'
import { fixOf, needsAttention, reasonAlone } from '../servers/fix-of.ts'

/** Why the server is as it is, its last words where it failed, and the button that puts it right. */
export function ReasonPanel({ server }: { server: WorkloadDetails }) {
  const { name, status, status_context: reason } = server
  const hasFailed = status === 'error' || status === 'unhealthy'
  const { data: log = [] } = useQuery({ ...lastLinesQuery(name), enabled: hasFailed })
  // The daemon's own lines repeat the reason.
  const lines = log.filter((line) => !line.startsWith('[toolhaven] '))
  if (reason === '' && !hasFailed) return null
  return (
    <section
      className={hasFailed ? 'problem' : `notice ${needsAttention(server) ? 'warning' : ''}`}
      aria-label="Reason"
    >
      {reason !== '' && (
        <p>
          {/* What it wrote stands below, line by line. */}
          <ForeignText text={hasFailed && lines.length > 0 ? reasonAlone(reason) : reason} />
        </p>
      )}
      {hasFailed && lines.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        <pre className="lines" aria-label="Last lines of its log" role="region" tabIndex={0}>
          <ForeignText text={lines.join('\n')} />
        </pre>
      )}
      <div className="actions">
        {/* Restarting is an action of this page already. Where that does not help, the configuration may. */}
        {fixOf(server)?.kind === 'restart' ? (
          <Link to="/servers/$name/edit" params={{ name }} className="button small">
            Change its configuration
          </Link>
        ) : (
          <FixButton server={server} />
        )}
      </div>
    </section>
  )
}
