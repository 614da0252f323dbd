import type { ReactNode } from 'react'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import type { ToolPlan } from './tool-list.ts'
import { describeNames, toolsCommand, type ToolNames } from './tool-names.ts'

export interface ToolPlanPanelProps {
  server: WorkloadDetails
  plan: ToolPlan
  names: ToolNames
  /** The buttons, and why it did not work. */
  children: ReactNode
}

/** What will be different, what restarts, and the command that does the same. */
export function ToolPlanPanel({ server, plan, names, children }: ToolPlanPanelProps) {
  const { name, tools: before, status, tools_override: namesBefore = {} } = server
  const { on, added, removed, filter } = plan
  const renamed = describeNames(namesBefore, names)
  const isFiltered = added.length + removed.length > 0
  const { command, file } = toolsCommand(name, isFiltered ? filter : undefined, renamed.length > 0 ? names : undefined)
  return (
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
      {renamed.map((sentence) => (
        <p key={sentence}>
          <ForeignText text={sentence} />
        </p>
      ))}
      {before.length > 0 && filter.length === 0 && on.length > 0 && (
        <p>Every tool is then on, including tools that the server adds later.</p>
      )}
      {before.length === 0 && isFiltered && <p>Tools that the server adds later stay off.</p>}
      {on.length === 0 && <p>Leave at least one tool on. To use none, stop the server.</p>}
      <p>{status === 'stopped' ? 'The server is stopped. Applying starts it.' : 'Applying restarts the server.'}</p>
      <Code text={command} label="Copy the command that does the same" />
      {file !== undefined && (
        <details>
          <summary>names.json</summary>
          <Code text={file} label="Copy the file for that command" />
        </details>
      )}
      {children}
    </section>
  )
}
