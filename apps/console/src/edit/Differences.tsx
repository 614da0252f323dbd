import { ForeignText } from '../parts/ForeignText.tsx'
import type { Change } from './flat-differences.ts'

/** Setting by setting, what goes and what comes. */
export function Differences({ changes }: { changes: readonly Change[] }) {
  return (
    <dl className="facts" aria-label="Differences">
      {changes.map(({ label, before, after }) => (
        <div key={label} className="fact">
          <dt>
            <ForeignText text={label} />
          </dt>
          <dd className="difference lines">
            {before.map((line) => (
              <del key={line}>
                <span className="only-read-aloud">Goes: </span>
                <span aria-hidden="true">− </span>
                <ForeignText text={line} />
              </del>
            ))}
            {after.map((line) => (
              <ins key={line}>
                <span className="only-read-aloud">Comes: </span>
                <span aria-hidden="true">+ </span>
                <ForeignText text={line} />
              </ins>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}
