import { ForeignText } from '../parts/ForeignText.tsx'

interface ChangedLinesProps {
  before: readonly string[]
  after: readonly string[]
}

/** What goes and what comes, line by line. */
export function ChangedLines({ before, after }: ChangedLinesProps) {
  return (
    <>
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
    </>
  )
}
