import { useState } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'
import { saveFile } from '../parts/save-file.ts'

/** More than a person reads, and less than makes a browser slow. */
const SHOWN = 20_000

/** Text of a server; of a long one the beginning, until the user wants the rest. */
export function LongText({ text, label }: { text: string; label: string }) {
  const [isWhole, setIsWhole] = useState(false)
  const isCut = text.length > SHOWN && !isWhole
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <pre className="lines result" role="group" aria-label={label} tabIndex={0}>
        <ForeignText text={isCut ? text.slice(0, SHOWN) : text} />
      </pre>
      {isCut && (
        <div className="actions">
          <span className="muted">
            The first {SHOWN.toLocaleString('en')} of {text.length.toLocaleString('en')} characters.
          </span>
          <button type="button" className="small" onClick={() => setIsWhole(true)}>
            Show all
          </button>
          <button type="button" className="small" onClick={() => saveFile('result.txt', [text], 'text/plain')}>
            Download
          </button>
        </div>
      )}
    </>
  )
}
