import { ForeignText } from '../parts/ForeignText.tsx'

interface ChangedLinesProps {
  before: readonly string[]
  after: readonly string[]
}

/** Removed and added lines. */
export function ChangedLines({ before, after }: ChangedLinesProps) {
  return (
    <>
      {before.map((line) => (
        <del key={line}>
          <span className="only-read-aloud">Removed: </span>
          <span aria-hidden="true">− </span>
          <ForeignText text={line} />
        </del>
      ))}
      {after.map((line) => (
        <ins key={line}>
          <span className="only-read-aloud">Added: </span>
          <span aria-hidden="true">+ </span>
          <ForeignText text={line} />
        </ins>
      ))}
    </>
  )
}
