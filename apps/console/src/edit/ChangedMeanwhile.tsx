import { ForeignText } from '../parts/ForeignText.tsx'
import type { Rebased } from './rebase.ts'

interface ChangedMeanwhileProps {
  name: string
  of: Rebased
  onTakeOver: () => void
}

/** Somebody else was first. What they changed comes into the form, and what was typed stays in it. */
export function ChangedMeanwhile({ name, of: { theirs, both }, onTakeOver }: ChangedMeanwhileProps) {
  const list = (parts: readonly string[]) => new Intl.ListFormat('en').format(parts)
  return (
    <section className="notice warning" role="alert" aria-label="Changed meanwhile">
      <h2>{name} was changed meanwhile</h2>
      <p>
        <ForeignText
          text={
            theirs.length > 0
              ? `Somebody changed: ${list(theirs)}.`
              : 'Somebody changed settings that this form does not have.'
          }
        />{' '}
        Take it over to go on. What you typed stays.
      </p>
      {both.length > 0 && <p>You changed {list(both)} too. Yours stays, and the plan shows what it replaces.</p>}
      <div className="actions">
        <button type="button" onClick={onTakeOver}>
          Take over
        </button>
      </div>
    </section>
  )
}
