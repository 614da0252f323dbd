import { type DragEvent, useState } from 'react'
import { messageOf } from '../api.ts'
import { Problem } from '../parts/Problem.tsx'
import { NotTaken } from './PlanParts.tsx'
import { readJson, type ReadJson, textOfFile } from './read-json.ts'

export interface PasteFormProps {
  isOpen: boolean
  onRead: (read: ReadJson) => void
}

/** A server from the JSON that READMEs print, that clients keep, or that `thv export` wrote. */
export function PasteForm({ isOpen, onRead }: PasteFormProps) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const [left, setLeft] = useState<readonly string[]>([])
  const read = (json: string, file?: string) => {
    setLeft([])
    try {
      const found = readJson(json, file)
      setLeft(found.kind === 'form' ? found.left : [])
      setProblem(undefined)
      // It may hold keys, which need not stay in sight.
      setText('')
      onRead(found)
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  const readFile = (file: File | undefined) => {
    if (file)
      textOfFile(file).then(
        (json) => read(json, file.name),
        (error: unknown) => setProblem(messageOf(error)),
      )
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    readFile(event.dataTransfer.files[0])
  }
  return (
    <details className="panel" open={isOpen} onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <summary>Paste or open JSON</summary>
      <p className="muted">
        Paste the mcpServers of a client or a README, or the output of thv export. You can also drop a file here.
      </p>
      <label className="field">
        JSON of the server
        <textarea rows={6} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      {problem !== undefined && <Problem message={problem} />}
      <NotTaken left={left} />
      <div className="actions">
        <button type="button" onClick={() => read(text)}>
          Read it
        </button>
        <OpenFile onFile={readFile} />
      </div>
    </details>
  )
}

function OpenFile({ onFile }: { onFile: (file: File | undefined) => void }) {
  return (
    <label className="button">
      Open a file
      <input
        type="file"
        className="only-read-aloud"
        accept=".json,application/json"
        onChange={(event) => {
          onFile(event.target.files?.[0])
          // The same file can be chosen again after it was changed.
          event.target.value = ''
        }}
      />
    </label>
  )
}
