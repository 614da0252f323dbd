import { type ReactNode, useState } from 'react'
import { useFieldProblems } from './FieldProblems.tsx'

interface SectionProps {
  title: string
  /** What is in force while nobody fills it in. */
  unset: string
  hasValue: boolean
  /** Of the request. What the daemon says against them opens the section. */
  fields: readonly string[]
  children: ReactNode
}

/** A part of a form that most servers do not need: folded until it holds a value or a problem. */
export function Section({ title, unset, hasValue, fields, children }: SectionProps) {
  const isWrong = useFieldProblems(fields).length > 0
  const urgency = isWrong ? 2 : hasValue ? 1 : 0
  const [known, setKnown] = useState(0)
  const [isOpen, setOpen] = useState(false)
  // Only what is new opens it, so that it can be closed again.
  if (urgency !== known) {
    setKnown(urgency)
    if (urgency > known) setOpen(true)
  }
  return (
    <details
      className="panel"
      aria-label={title}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <span>{title}</span> {!hasValue && !isOpen && <span className="muted">{unset}</span>}
      </summary>
      <div className="section-fields">{children}</div>
    </details>
  )
}
