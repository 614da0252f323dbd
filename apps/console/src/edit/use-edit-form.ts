import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { secretsQuery } from '../queries.ts'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import type { RunForm } from '../run/run-form.ts'
import { nameSecrets, newSecrets, secretNameFor } from '../run/secret-names.ts'
import { type EditBase, type FilledBase, fillIn } from './edit-base.ts'
import { editServer } from './edit-server.ts'
import { rebase } from './rebase.ts'
import { updateOf } from './update-of.ts'
import { useSave } from './use-save.ts'

/** What was typed on top of what is configured, and what comes of it. `current`: as the daemon reports it now. */
export function useEditForm(current: FilledBase, entry: RegistryEntry | undefined) {
  const [base, setBase] = useState(current)
  const [form, setForm] = useState(current.form)
  const [isSaved, setSaved] = useState(false)
  const [stored, setStored] = useState<ReadonlyMap<string, string>>(new Map())
  const saving = useSave(current.name)
  const { data: keys = [] } = useQuery(secretsQuery)
  const named = nameSecrets(form, keys, stored)
  const update = updateOf(base, named)
  const isEmpty = Object.keys(update).length === 0
  const isOther = current.revision !== base.revision && !saving.isPending
  /** What was typed since `from` stays. */
  const goOn = (from: RunForm, on: FilledBase) => {
    setForm((mine) => rebase(from, mine, on.form).form)
    setBase(on)
  }
  // Without input, the form follows the daemon.
  if (isOther && isEmpty) goOn(form, current)
  const showSaved = (from: RunForm, now: EditBase) => {
    goOn(from, fillIn(now, entry))
    setSaved(true)
  }
  const save = async () => {
    const next = new Map(stored)
    try {
      return await editServer(api, { base, form, stored: next })
    } finally {
      // Also after a failure: what was stored until then belongs to this form.
      setStored(next)
    }
  }
  return {
    ...{ base, form, update, isSaved, saving, isOther: isOther && !isEmpty },
    coming: newSecrets(named).map(({ given }) => secretNameFor(named, given)),
    merged: rebase(base.form, form, current.form),
    change: (part: Partial<RunForm>) => setForm((before) => ({ ...before, ...part })),
    submit: () => saving.mutate({ base, save }, { onSuccess: (now) => showSaved(form, now) }),
    showUndone: (now: EditBase) => showSaved(base.form, now),
    takeOver: () => {
      goOn(base.form, current)
      saving.reset()
    },
    discard: () => {
      setForm(current.form)
      setBase(current)
    },
  }
}
