import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { api, messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { filterFor, type ListedTool } from './tool-list.ts'

export interface ToolSwitchesProps {
  server: WorkloadDetails
  tools: readonly ListedTool[]
}

/** Which tools clients see. Nothing changes before the difference was shown and applied. */
export function ToolSwitches({ server: { name, tools: filter, status }, tools }: ToolSwitchesProps) {
  const all = tools.map((tool) => tool.name)
  const before = new Set(filter.length === 0 ? all : filter)
  const [on, setOn] = useState<ReadonlySet<string>>(before)
  const apply = useMutation({
    mutationFn: () => api.call('editWorkload', { params: { name }, body: { tools: filterFor(all, on) } }),
  })
  const toggle = (tool: string) => {
    const next = new Set(on)
    if (!next.delete(tool)) next.add(tool)
    setOn(next)
  }
  const added = all.filter((tool) => on.has(tool) && !before.has(tool))
  const removed = all.filter((tool) => !on.has(tool) && before.has(tool))
  const tokens = tools.filter((tool) => on.has(tool.name)).reduce((sum, tool) => sum + tool.tokens, 0)
  return (
    <section className="panel" aria-label="Tools">
      <p className="muted">
        {on.size} of {all.length} tools on. Their definitions cost about {tokens} tokens in each conversation.
      </p>
      <ul className="plain-list">
        {tools.map((tool) => (
          <ToolRow key={tool.name} tool={tool} isOn={on.has(tool.name)} onToggle={toggle} />
        ))}
      </ul>
      {added.length + removed.length > 0 && (
        <section className="notice" aria-label="Plan">
          {added.length > 0 && (
            <p>
              Turns on: <ForeignText text={added.join(', ')} />.
            </p>
          )}
          {removed.length > 0 && (
            <p>
              Turns off: <ForeignText text={removed.join(', ')} />. Clients cannot see or call them.
            </p>
          )}
          {on.size === 0 && <p>Leave at least one tool on. To use none, stop the server.</p>}
          {status === 'stopped' && <p>The server is stopped. Applying starts it.</p>}
          {apply.error && <Problem message={messageOf(apply.error)} />}
          <div className="actions">
            <button
              type="button"
              className="primary"
              disabled={apply.isPending || on.size === 0}
              onClick={() => apply.mutate()}
            >
              Apply
            </button>
            <button type="button" className="quiet" onClick={() => setOn(before)}>
              Undo
            </button>
          </div>
        </section>
      )}
    </section>
  )
}

interface ToolRowProps {
  tool: ListedTool
  isOn: boolean
  onToggle: (name: string) => void
}

function ToolRow({ tool: { name, description, tokens }, isOn, onToggle }: ToolRowProps) {
  return (
    <li className="tool">
      <label className="choice-line">
        <input type="checkbox" checked={isOn} onChange={() => onToggle(name)} />
        <code>
          <ForeignText text={name} />
        </code>
        <span className="muted">about {tokens} tokens</span>
      </label>
      <p className="muted">
        <ForeignText text={description} />
      </p>
    </li>
  )
}
