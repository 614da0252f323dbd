import { useState } from 'react'

/** Copies a text and says so until the pointer or the focus leaves. */
export function CopyButton({ text, label, words = 'Copy' }: { text: string; label: string; words?: string }) {
  const [outcome, setOutcome] = useState<string>()
  const copy = async () => {
    try {
      // Over plain HTTP from another machine a browser has no clipboard at all.
      await navigator.clipboard.writeText(text)
      setOutcome('Copied')
    } catch {
      setOutcome('Select it and copy it yourself')
    }
  }
  return (
    <button
      type="button"
      className="small"
      aria-label={outcome ? `${label}: ${outcome}` : label}
      onClick={copy}
      onBlur={() => setOutcome(undefined)}
      onPointerLeave={() => setOutcome(undefined)}
    >
      {outcome ?? words}
    </button>
  )
}
