import { type KeyboardEvent, useState } from 'react'

export interface SearchFieldProps {
  /** As the address has it. */
  text: string
  onSearch: (text: string) => void
  onKeyDown?: (event: KeyboardEvent) => void
}

/**
 * A search that lies in the address. The address follows what is typed a moment later, so that the field keeps its own
 * text: with the one of the address, the caret would jump to the end.
 */
export function SearchField({ text, onSearch, onKeyDown }: SearchFieldProps) {
  const [typed, setTyped] = useState(text)
  const [seen, setSeen] = useState(text)
  /** What the address does not have yet. */
  const [sent, setSent] = useState<readonly string[]>([])
  if (text !== seen) {
    setSeen(text)
    const at = sent.indexOf(text)
    setSent(at === -1 ? [] : sent.slice(at + 1))
    // A link or the way back changed it.
    if (at === -1) setTyped(text)
  }
  const type = (next: string) => {
    setTyped(next)
    setSent([...sent, next])
    onSearch(next)
  }
  return (
    <label className="grow">
      Find
      <input type="search" value={typed} onChange={(event) => type(event.target.value)} onKeyDown={onKeyDown} />
    </label>
  )
}
