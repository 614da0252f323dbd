import { messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import type { useConnect } from './use-connect.ts'

/** What the daemon could not do, and what the user should know. */
export function ConnectOutcome({ of: { data, error } }: { of: ReturnType<typeof useConnect> }) {
  const { notes = [], problem } = data ?? {}
  return (
    <>
      {error && <Problem message={messageOf(error)} />}
      {problem !== undefined && <Problem message={problem} />}
      {notes.length > 0 && (
        <p className="notice" role="status">
          <ForeignText text={notes.join(' ')} />
        </p>
      )}
    </>
  )
}
