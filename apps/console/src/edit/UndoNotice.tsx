import { useQuery } from '@tanstack/react-query'
import { api, messageOf } from '../api.ts'
import { Problem } from '../parts/Problem.tsx'
import type { EditBase } from './edit-base.ts'
import { undoQuery } from './edit-queries.ts'
import { useSave } from './use-save.ts'

/** Restores the configuration before the last change in this tab, unless it has been changed again since. */
export function UndoNotice({ base, onUndone }: { base: EditBase; onUndone?: (now: EditBase) => void }) {
  const { name, revision } = base
  const { data: undo } = useQuery(undoQuery(name))
  const saving = useSave(name)
  if (!undo || undo.revision !== revision) return null
  const { update } = undo
  if (update === undefined)
    return (
      <p className="notice" role="status">
        Saved. The header has a new value in the secret store, so the previous value cannot be restored.
      </p>
    )
  const save = async () => {
    await api.call('editWorkload', { params: { name }, query: { revision }, body: update })
    return update
  }
  const isMove = Object.keys(update).join() === 'group'
  return (
    <section className="notice" aria-label="Last change">
      <p role="status">Saved. Undo restores the previous configuration{isMove ? '.' : ' and restarts the server.'}</p>
      {saving.error && <Problem message={messageOf(saving.error)} />}
      <div className="actions">
        <button
          type="button"
          disabled={saving.isPending}
          onClick={() => saving.mutate({ base, save, isUndo: true }, { onSuccess: onUndone })}
        >
          Undo
        </button>
      </div>
    </section>
  )
}
