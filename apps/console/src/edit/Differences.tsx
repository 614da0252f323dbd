import { ForeignText } from '../parts/ForeignText.tsx'
import { ChangedLines } from './ChangedLines.tsx'
import type { Change } from './flat-differences.ts'

/** Removed and added values of each setting. */
export function Differences({ changes }: { changes: readonly Change[] }) {
  return (
    <dl className="facts" aria-label="Differences">
      {changes.map(({ label, before, after }) => (
        <div key={label} className="fact">
          <dt>
            <ForeignText text={label} />
          </dt>
          <dd className="difference lines">
            <ChangedLines before={before} after={after} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
