import { type FormEvent, useState } from 'react'
import { messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { ProblemsOfForm } from '../run/FieldProblems.tsx'
import { GroupField } from '../run/GroupField.tsx'
import { Outcome } from '../run/Outcome.tsx'
import { TextField } from '../run/TextField.tsx'
import { ImportPlan } from './ImportPlan.tsx'
import { type ImportSource, type ImportWish, wishOf } from './import-wish.ts'
import { useImport } from './use-import.ts'

/** A server from its run configuration: what may differ from the file, what would happen, and the button. */
export function ImportForm({ source, onBack }: { source: ImportSource; onBack: () => void }) {
  const { config } = source
  const [wish, setWish] = useState(() => wishOf(config))
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const found = useImport(config, wish, values)
  const { run, missing, problems } = found
  const change = (part: Partial<ImportWish>) => setWish((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    run.mutate()
  }
  return (
    <form className="form" onSubmit={submit} aria-label="Import a server">
      <ProblemsOfForm value={problems}>
        <fieldset className="panel">
          <legend>Name</legend>
          <TextField label="Name" value={wish.name} isRequired field="name" onChange={(name) => change({ name })} />
          <GroupField group={wish.group} onChange={(group) => change({ group })} />
          <TextField
            label="Port"
            help="Clients connect to it. Empty: a free one"
            type="number"
            value={wish.port}
            field="proxy_port"
            onChange={(port) => change({ port })}
          />
        </fieldset>
        <MissingSecrets names={missing} values={values} onChange={setValues} />
        <Confirmations wish={wish} messages={problems.map(({ message }) => message)} onChange={change} />
      </ProblemsOfForm>
      <ImportPlan source={source} wish={wish} of={found} />
      {run.error && <Problem message={messageOf(run.error)} />}
      {run.data ? (
        <Outcome name={run.data.name} />
      ) : (
        <div className="actions">
          <button type="submit" className="primary" disabled={run.isPending}>
            Import
          </button>
          <button type="button" className="quiet" onClick={onBack}>
            Choose something else
          </button>
        </div>
      )}
    </form>
  )
}

interface MissingSecretsProps {
  names: readonly string[]
  values: Readonly<Record<string, string>>
  onChange: (values: Readonly<Record<string, string>>) => void
}

function MissingSecrets({ names, values, onChange }: MissingSecretsProps) {
  if (names.length === 0) return null
  return (
    <fieldset className="panel">
      <legend>Secrets that are not here</legend>
      {names.map((name) => (
        <TextField
          key={name}
          label={name}
          help="Goes to the secret store."
          type="password"
          value={values[name] ?? ''}
          isRequired
          onChange={(value) => onChange({ ...values, [name]: value })}
        />
      ))}
    </fieldset>
  )
}

interface ConfirmationsProps {
  wish: ImportWish
  messages: readonly string[]
  onChange: (part: Partial<ImportWish>) => void
}

const CONFIRMATIONS = [
  { part: 'acceptNetwork', field: 'accept_network', label: 'Allow what it asks for of the network' },
  { part: 'acceptMounts', field: 'accept_mounts', label: 'Allow the files that it asks for' },
  { part: 'acceptSecrets', field: 'accept_secrets', label: 'Give its server the secrets that it asks for' },
] as const

/** A file from someone else opens nothing of this machine unless the user allows it. */
function Confirmations({ wish, messages, onChange }: ConfirmationsProps) {
  const asked = CONFIRMATIONS.map((each) => ({ ...each, says: messages.find((said) => said.includes(each.field)) }))
  const shown = asked.filter(({ part, says }) => wish[part] || says !== undefined)
  if (shown.length === 0) return null
  return (
    <fieldset className="panel">
      <legend>To confirm</legend>
      {shown.map(({ part, label, says }) => (
        <div key={part} className="plain-list">
          <label className="choice-line">
            <input
              type="checkbox"
              checked={wish[part]}
              onChange={(event) => onChange({ [part]: event.target.checked })}
            />
            {label}
          </label>
          {says !== undefined && (
            <p className="muted">
              <ForeignText text={says} />
            </p>
          )}
        </div>
      ))}
    </fieldset>
  )
}
