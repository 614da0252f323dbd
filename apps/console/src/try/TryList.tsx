import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { WORDS } from './outcome-words.ts'
import type { Try, TryDesk } from './try-desk.ts'
import { TryPanel } from './TryPanel.tsx'

export interface TryListProps {
  server: WorkloadDetails
  desk: TryDesk
  tries: readonly Try[]
}

/** What was tried since the page was opened, newest first. */
export function TryList({ server, desk, tries }: TryListProps) {
  const [newest] = tries
  return (
    <section className="tries" aria-label="Results">
      <p role="status" className="only-read-aloud">
        {newest && `${newest.item}: ${WORDS[newest.outcome]}`}
      </p>
      {tries.map((each) => (
        <TryPanel key={each.id} server={server} desk={desk} tried={each} />
      ))}
      {tries.length > 0 && (
        <div className="actions">
          <button type="button" className="small quiet" onClick={() => desk.forget()}>
            Forget these results
          </button>
          <span className="muted">They are in this page only.</span>
        </div>
      )}
    </section>
  )
}
