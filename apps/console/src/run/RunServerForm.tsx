import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../api.ts'
import { Problem } from '../parts/Problem.tsx'
import { groupsQuery, secretsQuery } from '../queries.ts'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { NetworkFields } from './NetworkFields.tsx'
import type { FieldsProps } from './fields-props.ts'
import { Outcome } from './Outcome.tsx'
import { RunPlan } from './RunPlan.tsx'
import { nameSecrets, type RunForm } from './run-form.ts'
import { SourceFields } from './SourceFields.tsx'
import { TextField } from './TextField.tsx'
import { useRun } from './use-run.ts'
import { VariableFields } from './VariableFields.tsx'

/** One form for every kind of server. What was typed stays, whatever becomes of it. */
export function RunServerForm({ initial, entry }: { initial: RunForm; entry?: RegistryEntry }) {
  const [form, setForm] = useState(initial)
  const [made, setMade] = useState<string>()
  const { run, stored } = useRun(entry)
  const { data: keys = [] } = useQuery(secretsQuery)
  const change: FieldsProps['onChange'] = (part) => setForm((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    run.mutate({ form, made }, { onSuccess: ({ name }) => setMade(name) })
  }
  return (
    <form className="form" onSubmit={submit} aria-label="Run a server">
      {!entry && <SourceFields form={form} onChange={change} />}
      <NameFields form={form} onChange={change} isMade={made !== undefined} />
      <VariableFields form={form} onChange={change} />
      {form.source === 'package' && <InsideFields form={form} onChange={change} entry={entry} />}
      <RunPlan form={nameSecrets(form, keys, stored)} entry={entry} made={made} />
      {run.error && <Problem message={messageOf(run.error)} />}
      {made !== undefined && !run.isPending && <Outcome name={made} />}
      <div className="actions">
        <button type="submit" className="primary" disabled={run.isPending}>
          {made === undefined ? 'Run' : 'Apply and restart'}
        </button>
      </div>
    </form>
  )
}

function NameFields({ form, onChange, isMade }: FieldsProps & { isMade: boolean }) {
  const { data: groups = [] } = useQuery(groupsQuery)
  const names = groups.length > 0 ? groups.map(({ name }) => name) : ['default']
  return (
    <fieldset className="panel">
      <legend>Name</legend>
      <TextField
        label="Name"
        help="Default: derived from the server"
        value={form.name}
        isDisabled={isMade}
        onChange={(name) => onChange({ name })}
      />
      <label className="field">
        Group
        <select value={form.group} onChange={(event) => onChange({ group: event.target.value })}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </fieldset>
  )
}

function InsideFields({ form, onChange, entry }: FieldsProps & { entry: RegistryEntry | undefined }) {
  const asksForMounts = Boolean(entry?.permissions?.read?.length || entry?.permissions?.write?.length)
  return (
    <>
      <NetworkFields form={form} onChange={onChange} />
      <fieldset className="panel">
        <legend>Folders, arguments and limits</legend>
        <TextField
          label="Folders"
          help="One on each line: folder:place inside. Add :ro to make it read-only"
          value={form.volumes}
          rows={2}
          onChange={(volumes) => onChange({ volumes })}
        />
        <TextField
          label="Arguments"
          help="One on each line"
          value={form.args}
          rows={2}
          onChange={(args) => onChange({ args })}
        />
        <TextField
          label="Memory in MB"
          help="Default: the limit of the runtime"
          type="number"
          value={form.memory}
          onChange={(memory) => onChange({ memory })}
        />
        {asksForMounts && (
          <label className="choice-line">
            <input
              type="checkbox"
              checked={form.acceptMounts}
              onChange={(event) => onChange({ acceptMounts: event.target.checked })}
            />
            Allow the folders that the registry entry asks for
          </label>
        )}
      </fieldset>
    </>
  )
}
