import { useState } from 'react'
import { LongText } from './LongText.tsx'
import type { Traffic } from './try-desk.ts'

/** The messages of a call as they went over the wire. */
export function AsSent({ traffic }: { traffic: readonly Traffic[] }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>As sent</summary>
      {isOpen && (
        <ol className="plain-list traffic">
          {traffic.map(({ isSent, text }, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- messages have no other name, and none goes
            <li key={at}>
              <span className="muted">{isSent ? 'Sent' : 'Received'}</span>
              <LongText text={text} label={isSent ? 'Message as sent' : 'Message as received'} />
            </li>
          ))}
        </ol>
      )}
    </details>
  )
}
