import { useQuery } from '@tanstack/react-query'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { ForeignText } from '../parts/ForeignText.tsx'
import { statsQuery } from '../queries.ts'
import { describeUse } from './describe-use.ts'

/** What the server uses, measured when the page was last opened. */
export function UsePanel({ server: { name, status } }: { server: WorkloadDetails }) {
  const isUp = status === 'running' || status === 'unhealthy'
  const { data: stats, dataUpdatedAt } = useQuery({ ...statsQuery(name), enabled: isUp })
  if (!isUp || !stats) return null
  return (
    <section className="panel" aria-label="Use">
      <h2>What it uses</h2>
      <ul className="plain-list">
        {describeUse(stats).map((sentence) => (
          <li key={sentence}>
            <ForeignText text={sentence} />
          </li>
        ))}
      </ul>
      <p className="muted">
        Measured at {new Date(dataUpdatedAt).toLocaleTimeString('en', { hourCycle: 'h23' })}, and again when you come
        back to this page.
      </p>
    </section>
  )
}
