import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { api, messageOf } from '../api.ts'
import { Problem } from '../parts/Problem.tsx'
import { type ListedTool, planTools } from './tool-list.ts'
import { applyNames, describeNames, type NameChange, namesOf } from './tool-names.ts'
import { ToolPlanPanel } from './ToolPlanPanel.tsx'
import { ToolRow } from './ToolRow.tsx'

export interface ToolSwitchesProps {
  server: WorkloadDetails
  tools: readonly ListedTool[]
}

/** Which tools clients see, and under which names. Nothing changes before the difference was shown and applied. */
export function ToolSwitches({ server, tools }: ToolSwitchesProps) {
  const { name, tools: filter, tools_override: namesBefore = {} } = server
  const all = tools.map((tool) => tool.name)
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [typed, setTyped] = useState<ReadonlyMap<string, NameChange>>(new Map())
  const plan = planTools(all, filter, toggled)
  const names = applyNames(namesBefore, typed)
  const isFiltered = plan.added.length + plan.removed.length > 0
  const isRenamed = describeNames(namesBefore, names).length > 0
  const body = {
    ...(isFiltered && { tools: plan.filter }),
    ...(isRenamed && { tools_override: Object.keys(names).length > 0 ? names : null }),
  }
  const apply = useMutation({ mutationFn: () => api.call('editWorkload', { params: { name }, body }) })
  const toggle = (tool: string) => {
    const changed = new Set(toggled)
    if (!changed.delete(tool)) changed.add(tool)
    setToggled(changed)
  }
  return (
    <section className="panel" aria-label="Tools">
      <p className="muted">
        {plan.on.length} of {all.length} tools on. Their definitions cost about {tokensOf(tools, plan.on)} tokens in
        each conversation.
      </p>
      <ul className="plain-list">
        {tools.map((tool) => (
          <ToolRow
            key={tool.name}
            server={name}
            tool={tool}
            isOn={plan.on.includes(tool.name)}
            names={typed.get(tool.name) ?? namesOf(namesBefore, tool.name)}
            appliedName={namesOf(namesBefore, tool.name).name || tool.name}
            onToggle={toggle}
            onRename={(renamed, change) => setTyped(new Map(typed).set(renamed, change))}
          />
        ))}
      </ul>
      {(isFiltered || isRenamed) && (
        <ToolPlanPanel server={server} plan={plan} names={names}>
          {apply.error && <Problem message={messageOf(apply.error)} />}
          <div className="actions">
            <button
              type="button"
              className="primary"
              disabled={apply.isPending || plan.on.length === 0}
              onClick={() => apply.mutate()}
            >
              Apply
            </button>
            <button type="button" className="quiet" onClick={() => [setToggled(new Set()), setTyped(new Map())]}>
              Undo
            </button>
          </div>
        </ToolPlanPanel>
      )}
    </section>
  )
}

function tokensOf(tools: readonly ListedTool[], on: readonly string[]): number {
  return tools.filter(({ name }) => on.includes(name)).reduce((sum, { tokens }) => sum + tokens, 0)
}
