import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { api, messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { type ListedTool, planTools } from './tool-list.ts'

export interface ToolSwitchesProps {
  server: WorkloadDetails
  tools: readonly ListedTool[]
}

/** Which tools clients see. Nothing changes before the difference was shown and applied. */
export function ToolSwitches({ server: { name, tools: filter, status }, tools }: ToolSwitchesProps) {
  const all = tools.map((tool) => tool.name)
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const { on, added, removed, filter: next } = planTools(all, filter, toggled)
  const apply = useMutation({
    mutationFn: () => api.call('editWorkload', { params: { name }, body: { tools: next } }),
  })
  const toggle = (tool: string) => {
    const changed = new Set(toggled)
    if (!changed.delete(tool)) changed.add(tool)
    setToggled(changed)
  }
  const tokens = tools.filter((tool) => on.includes(tool.name)).reduce((sum, tool) => sum + tool.tokens, 0)
  return (
    <section className="panel" aria-label="Tools">
      <p className="muted">
        {on.length} of {all.length} tools on. Their definitions cost about {tokens} tokens in each conversation.
      </p>
      <ul className="plain-list">
        {tools.map((tool) => (
          <ToolRow key={tool.name} tool={tool} isOn={on.includes(tool.name)} onToggle={toggle} />
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
          {filter.length > 0 && next.length === 0 && on.length > 0 && (
            <p>Every tool is on then, also those that the server offers later.</p>
          )}
          {filter.length === 0 && <p>Tools that the server offers later stay off.</p>}
          {on.length === 0 && <p>Leave at least one tool on. To use none, stop the server.</p>}
          <p>{status === 'stopped' ? 'The server is stopped. Applying starts it.' : 'Applying restarts the server.'}</p>
          {apply.error && <Problem message={messageOf(apply.error)} />}
          <div className="actions">
            <button
              type="button"
              className="primary"
              disabled={apply.isPending || on.length === 0}
              onClick={() => apply.mutate()}
            >
              Apply
            </button>
            <button type="button" className="quiet" onClick={() => setToggled(new Set())}>
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
