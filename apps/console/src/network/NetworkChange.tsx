import { Link } from '@tanstack/react-router'
import type { UpdateRequest } from '@toolhaven/contract/workload-request'
import { messageOf } from '../api.ts'
import type { EditBase } from '../edit/edit-base.ts'
import { EditPlan } from '../edit/EditPlan.tsx'
import { useEditPlan } from '../edit/use-edit-plan.ts'
import { useSave } from '../edit/use-save.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'

export interface Change {
  update: UpdateRequest
  command: string | undefined
  /** What else the user should know. */
  notes?: readonly string[]
  verb: string
  apply: () => Promise<unknown>
}

interface NetworkChangeProps {
  base: EditBase
  change: Change
  onDone: () => void
}

/** The plan of a change, and the button that applies it. */
export function NetworkChange({
  base,
  change: { update, command, notes = [], verb, apply },
  onDone,
}: NetworkChangeProps) {
  const { name } = base
  const plan = useEditPlan(base, update)
  const saving = useSave(name)
  const save = async () => {
    await apply()
    return update
  }
  return (
    <EditPlan base={base} of={plan} command={command} notes={notes}>
      {saving.error && <Problem message={messageOf(saving.error)} />}
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={saving.isPending || plan.plan === undefined || plan.problems.length > 0}
          onClick={() => saving.mutate({ base, save }, { onSuccess: onDone })}
        >
          <ForeignText text={verb} />
        </button>
        <Link to="/servers/$name/network" params={{ name }} resetScroll={false} className="button quiet">
          Cancel
        </Link>
      </div>
    </EditPlan>
  )
}
