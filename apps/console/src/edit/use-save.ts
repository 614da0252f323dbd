import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { UpdateRequest } from '@toolhaven/contract/workload-request'
import { secretsQuery } from '../queries.ts'
import type { EditBase } from './edit-base.ts'
import { editBaseQuery, undoQuery } from './edit-queries.ts'
import { keepUndo } from './kept-undo.ts'
import { undoOf } from './update-of.ts'

export interface Saving {
  base: EditBase
  /** Makes the change and gives what was changed. */
  save: () => Promise<UpdateRequest>
  isUndo?: boolean
}

/** Saves a change, reads what is configured by then, and keeps what puts it back. */
export function useSave(name: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: async ({ base, save, isUndo = false }: Saving): Promise<EditBase> => {
      const update = await save()
      // One that was asked for before the change would come back without it.
      await cache.cancelQueries(editBaseQuery(name))
      const now = await cache.fetchQuery(editBaseQuery(name))
      const undo = isUndo ? null : { revision: now.revision, update: undoOf(base, update) }
      cache.setQueryData(undoQuery(name).queryKey, undo)
      keepUndo(name, undo)
      return now
    },
    // It may be refused because somebody else was first.
    onError: () => cache.invalidateQueries(editBaseQuery(name)),
    onSettled: () => cache.invalidateQueries(secretsQuery),
  })
}
