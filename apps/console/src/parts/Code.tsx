import { CopyButton } from './CopyButton.tsx'
import { ForeignText } from './ForeignText.tsx'

/** A line to copy: an address, a command. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <span className="code-line">
      <code>
        <ForeignText text={text} />
      </code>
      <CopyButton text={text} label={label} />
    </span>
  )
}
