import { useState } from 'react'
import { messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { readPasted } from './read-pasted.ts'
import type { RunForm } from './run-form.ts'

/** Fills in the form from the JSON that READMEs print. */
export function PasteForm({ onRead }: { onRead: (form: RunForm) => void }) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const [left, setLeft] = useState<readonly string[]>([])
  const read = () => {
    setLeft([])
    try {
      const pasted = readPasted(text)
      onRead(pasted.form)
      setLeft(pasted.left)
      setProblem(undefined)
      // It may hold keys, which need not stay in sight.
      setText('')
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <details className="panel">
      <summary>Paste mcpServers JSON</summary>
      <label className="field">
        JSON of the server
        <textarea rows={6} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      {problem !== undefined && <Problem message={problem} />}
      {left.length > 0 && (
        <p className="notice warning" role="status">
          Not taken over: <ForeignText text={new Intl.ListFormat('en').format(left)} />.
        </p>
      )}
      <div className="actions">
        <button type="button" onClick={read}>
          Fill in the form
        </button>
      </div>
    </details>
  )
}
