import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { secretsQuery } from '../queries.ts'
import type { FieldsProps } from './fields-props.ts'
import type { Variable } from './run-form.ts'
import { TextField } from './TextField.tsx'

/** Variables; those that are secret go to the secret store, and are never shown again. */
export function VariableFields({ form, onChange }: FieldsProps) {
  const replace = (at: number, change: Partial<Variable>) =>
    onChange({ variables: form.variables.map((each, index) => (index === at ? { ...each, ...change } : each)) })
  const add = (isSecret: boolean) =>
    onChange({ variables: [...form.variables, { name: '', value: '', isSecret, isRequired: false }] })
  return (
    <fieldset className="panel">
      <legend>Variables and secrets</legend>
      {form.variables.map((variable, at) => (
        <VariableField
          // oxlint-disable-next-line react/no-array-index-key -- the name is being typed; the place is what stays
          key={at}
          variable={variable}
          onChange={(change) => replace(at, change)}
          onRemove={() => onChange({ variables: form.variables.filter((_, index) => index !== at) })}
        />
      ))}
      <div className="actions">
        <button type="button" className="small" onClick={() => add(false)}>
          Add a variable
        </button>
        <button type="button" className="small" onClick={() => add(true)}>
          Add a secret
        </button>
      </div>
    </fieldset>
  )
}

interface VariableFieldProps {
  variable: Variable
  onChange: (change: Partial<Variable>) => void
  onRemove: () => void
}

function VariableField({ variable, onChange, onRemove }: VariableFieldProps) {
  const { name, value, description, isSecret, isRequired = false, stored } = variable
  const isKnown = description !== undefined
  const label = isKnown ? name : `Value${name === '' ? '' : ` of ${name}`}`
  return (
    <div className="variable">
      {!isKnown && (
        <TextField
          label={isSecret ? 'Name of the secret variable' : 'Name of the variable'}
          value={name}
          isRequired
          onChange={(next) => onChange({ name: next })}
        />
      )}
      {isSecret && <StoredSecret name={name} stored={stored} onChange={(next) => onChange({ stored: next })} />}
      {stored === undefined && (
        <TextField
          label={label}
          help={isSecret ? `${description ?? ''} Goes to the secret store.`.trim() : description}
          type={isSecret ? 'password' : 'text'}
          value={value}
          isRequired={isRequired}
          onChange={(next) => onChange({ value: next })}
        />
      )}
      {!isKnown && (
        <button type="button" className="small quiet" onClick={onRemove}>
          Remove<span className="only-read-aloud"> {name}</span>
        </button>
      )}
    </div>
  )
}

interface StoredSecretProps {
  name: string
  stored: string | undefined
  onChange: (stored: string | undefined) => void
}

function StoredSecret({ name, stored = '', onChange }: StoredSecretProps) {
  const id = useId()
  const { data: keys = [] } = useQuery(secretsQuery)
  if (keys.length === 0) return null
  return (
    <div className="field">
      <label htmlFor={id}>Secret for {name}</label>
      <select id={id} value={stored} onChange={(event) => onChange(event.target.value || undefined)}>
        <option value="">A new value</option>
        {keys.map((key) => (
          <option key={key}>{key}</option>
        ))}
      </select>
    </div>
  )
}
