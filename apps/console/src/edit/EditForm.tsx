import type { FormEvent } from 'react'
import { messageOf } from '../api.ts'
import { Problem } from '../parts/Problem.tsx'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { ProblemsOfForm } from '../run/FieldProblems.tsx'
import { inFormWords } from '../run/form-words.ts'
import { Outcome } from '../run/Outcome.tsx'
import { ServerFields } from '../run/ServerFields.tsx'
import { editCommand } from '../run/thv-command.ts'
import { ChangedMeanwhile } from './ChangedMeanwhile.tsx'
import type { FilledBase } from './edit-base.ts'
import { EditPlan } from './EditPlan.tsx'
import { SourcePart } from './SourcePart.tsx'
import { UndoNotice } from './UndoNotice.tsx'
import { useEditForm } from './use-edit-form.ts'
import { useEditPlan } from './use-edit-plan.ts'

interface EditFormProps {
  /** As the daemon reports it now. */
  current: FilledBase
  entry: RegistryEntry | undefined
}

/** The configuration as a form. What was typed stays, even if the save fails or someone else changes the server. */
export function EditForm({ current, entry }: EditFormProps) {
  const { name } = current
  const edit = useEditForm(current, entry)
  const { base, form, update, coming, saving } = edit
  const plan = useEditPlan(base, update, coming)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    edit.submit()
  }
  const isMove = Object.keys(update).join() === 'group'
  return (
    <form className="form" onSubmit={submit} aria-label={`Edit ${name}`}>
      <ProblemsOfForm value={plan.problems}>
        <SourcePart base={base} form={form} onChange={edit.change} />
        <ServerFields form={form} onChange={edit.change} basis={base.basis} isMade />
      </ProblemsOfForm>
      {edit.isOther && <ChangedMeanwhile name={name} of={edit.merged} onTakeOver={edit.takeOver} />}
      <EditPlan base={base} of={plan} coming={coming} command={editCommand(name, base.request, update)} />
      {saving.error && !edit.isOther && <Problem message={inFormWords(messageOf(saving.error))} />}
      {edit.isSaved && !saving.isPending && <Outcome name={name} />}
      {plan.isEmpty && !saving.isPending && <UndoNotice base={base} onUndone={edit.showUndone} />}
      <div className="actions">
        <button type="submit" className="primary" disabled={saving.isPending || plan.isEmpty || edit.isOther}>
          {isMove ? 'Apply' : 'Apply and restart'}
        </button>
        {!plan.isEmpty && (
          <button type="button" className="quiet" onClick={edit.discard}>
            Discard
          </button>
        )}
      </div>
    </form>
  )
}
