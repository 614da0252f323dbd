import { CopyButton } from './CopyButton.tsx'

/** A line to copy: an address, a command. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <span className="code-line">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  )
}
