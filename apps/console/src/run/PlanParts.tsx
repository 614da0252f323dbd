import { ForeignText } from '../parts/ForeignText.tsx'

/** Why the daemon would refuse it. */
export function InTheWay({ problems }: { problems: readonly string[] }) {
  return problems.length > 0 && <Sentences label="In the way" sentences={problems} />
}

/** The secrets that are stored first. */
export function Stores({ keys }: { keys: readonly string[] }) {
  if (keys.length === 0) return null
  return (
    <p>
      Stores <ForeignText text={new Intl.ListFormat('en').format(keys)} /> in the secret store.
    </p>
  )
}

export function Sentences({ label, sentences }: { label: string; sentences: readonly string[] }) {
  return (
    <ul className="plain-list" aria-label={label}>
      {sentences.map((sentence) => (
        <li key={sentence}>
          <ForeignText text={sentence} />
        </li>
      ))}
    </ul>
  )
}

/** What a text says and the server will not have. */
export function NotTaken({ left }: { left: readonly string[] }) {
  if (left.length === 0) return null
  return (
    <div className="notice warning" role="status">
      <p>
        Not taken over: <ForeignText text={new Intl.ListFormat('en').format(left)} />.
      </p>
    </div>
  )
}
