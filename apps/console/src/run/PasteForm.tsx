import { useState } from 'react'
import { messageOf } from '../api.ts'
import { Problem } from '../parts/Problem.tsx'
import { readPasted } from './read-pasted.ts'
import type { RunForm } from './run-form.ts'

/** Fills in the form from the JSON that READMEs print. */
export function PasteForm({ onRead }: { onRead: (form: RunForm) => void }) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const read = () => {
    try {
      onRead(readPasted(text))
      setProblem(undefined)
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
      <div className="actions">
        <button type="button" onClick={read}>
          Fill in the form
        </button>
      </div>
    </details>
  )
}
