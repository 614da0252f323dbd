import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { DaemonSettings } from '@toolhaven/contract/system'
import { type FormEvent, useState } from 'react'
import { api, messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { Problem } from '../parts/Problem.tsx'
import { TextField } from '../run/TextField.tsx'
import { changesOf, type SettingField, settingCommand, settingsChange } from './setting-fields.ts'
import { settingsQuery } from './settings-query.ts'

interface SettingFormProps {
  fields: readonly SettingField[]
  settings: DaemonSettings
}

/** What is typed stays until it is saved; a field that nobody touched follows the daemon. */
export function SettingForm({ fields, settings }: SettingFormProps) {
  const cache = useQueryClient()
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map())
  const changes = changesOf(fields, settings, typed)
  const saving = useMutation({
    mutationFn: () => api.call('updateSettings', { body: settingsChange(changes) }),
    onSuccess: (next) => {
      cache.setQueryData(settingsQuery.queryKey, next)
      setTyped(new Map())
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate()
  }
  return (
    <form className="form" onSubmit={submit}>
      {fields.map(({ label, help, read }) => (
        <TextField
          key={label}
          label={label}
          help={help}
          value={typed.get(label) ?? read(settings)}
          onChange={(text) => setTyped(new Map(typed).set(label, text))}
        />
      ))}
      {saving.error && <Problem message={messageOf(saving.error)} />}
      {changes.map((change) => (
        <Code key={change.field.label} text={settingCommand(change)} label="Copy the command that does the same" />
      ))}
      <div className="actions">
        <button type="submit" disabled={changes.length === 0 || saving.isPending}>
          Save
        </button>
        {typed.size > 0 && (
          <button type="button" className="quiet" onClick={() => setTyped(new Map())}>
            Discard
          </button>
        )}
        <span role="status" className="muted">
          {saving.isSuccess && changes.length === 0 && 'Saved.'}
        </span>
      </div>
    </form>
  )
}
