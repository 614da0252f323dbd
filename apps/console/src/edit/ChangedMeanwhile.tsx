import { ForeignText } from '../parts/ForeignText.tsx'
import type { Rebased } from './rebase.ts'

interface ChangedMeanwhileProps {
  name: string
  of: Rebased
  onTakeOver: () => void
}

/** Another client saved first. The form takes over their changes and keeps the user's input. */
export function ChangedMeanwhile({ name, of: { theirs, both }, onTakeOver }: ChangedMeanwhileProps) {
  const list = (parts: readonly string[]) => new Intl.ListFormat('en').format(parts)
  return (
    <section className="notice warning" role="alert" aria-label="Changed in the meantime">
      <h2>{name} has changed in the meantime</h2>
      <p>
        <ForeignText
          text={theirs.length > 0 ? `Changed: ${list(theirs)}.` : 'Settings that this form does not show were changed.'}
        />{' '}
        Take over the changes to continue. Your input stays.
      </p>
      {both.length > 0 && <p>You changed {list(both)} too. Your change stays, and the plan shows what it replaces.</p>}
      <div className="actions">
        <button type="button" onClick={onTakeOver}>
          Take over
        </button>
      </div>
    </section>
  )
}
