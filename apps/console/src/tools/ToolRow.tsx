import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'
import { TextField } from '../run/TextField.tsx'
import type { ListedTool } from './tool-list.ts'
import type { NameChange } from './tool-names.ts'

export interface ToolRowProps {
  server: string
  tool: ListedTool
  isOn: boolean
  /** How clients see it now, or will. Empty: as the server has it. */
  names: NameChange
  /** What clients call it now. */
  appliedName: string
  onToggle: (name: string) => void
  onRename: (name: string, names: NameChange) => void
}

/** One tool: whether clients see it, under which name, and what it costs. */
export function ToolRow({ server, tool, isOn, names, appliedName, onToggle, onRename }: ToolRowProps) {
  const [isOpen, setIsOpen] = useState(false)
  const { name, description, tokens } = tool
  const seenAs = names.name === '' ? name : names.name
  return (
    <li className="tool">
      <div className="tool-line">
        <label className="choice-line">
          <input type="checkbox" checked={isOn} onChange={() => onToggle(name)} />
          <code>
            <ForeignText text={name} />
          </code>
          {seenAs !== name && (
            <span>
              seen as <ForeignText text={seenAs} />
            </span>
          )}
          <span className="muted">about {tokens} tokens</span>
        </label>
        <span className="actions">
          <button type="button" className="small quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            Rename<span className="only-read-aloud"> {name}</span>
          </button>
          {isOn && (
            <Link
              className="button small quiet"
              to="/servers/$name/try"
              params={{ name: server }}
              search={{ tool: appliedName }}
            >
              Try<span className="only-read-aloud"> {name}</span>
            </Link>
          )}
        </span>
      </div>
      <p className="muted">
        <ForeignText text={names.description === '' ? description : names.description} />
      </p>
      {isOpen && (
        <fieldset className="rename">
          <legend className="only-read-aloud">How clients see {name}</legend>
          <TextField
            label={`Name of ${name} for clients`}
            help="Empty: the name that the server gives it"
            value={names.name}
            onChange={(next) => onRename(name, { ...names, name: next })}
          />
          <TextField
            label={`Description of ${name} for clients`}
            help={description === '' ? 'The server gives none' : `The server says: ${description}`}
            value={names.description}
            rows={3}
            onChange={(next) => onRename(name, { ...names, description: next })}
          />
        </fieldset>
      )}
    </li>
  )
}
