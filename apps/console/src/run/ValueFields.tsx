import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { secretsQuery } from '../queries.ts'
import { FieldProblems } from './FieldProblems.tsx'
import type { FieldsProps } from './fields-props.ts'
import type { NamedValue } from './run-form.ts'
import { Section } from './Section.tsx'
import { TextField } from './TextField.tsx'

interface Kind {
  part: 'variables' | 'headers'
  legend: string
  noun: string
  /** Of the request. */
  fields: readonly string[]
}

export const VARIABLES: Kind = {
  ...{ part: 'variables', legend: 'Variables and secrets', noun: 'variable' },
  fields: ['env_vars', 'secrets'],
}
export const HEADERS: Kind = {
  ...{ part: 'headers', legend: 'Headers', noun: 'header' },
  fields: ['headers', 'headers_from_secrets'],
}

/** Variables or headers; those that are secret go to the secret store, and are never shown again. */
export function ValueFields({ form, onChange, kind }: FieldsProps & { kind: Kind }) {
  const { part, legend, noun, fields } = kind
  const values = form[part]
  const replace = (at: number, change: Partial<NamedValue>) =>
    onChange({ [part]: values.map((each, index) => (index === at ? { ...each, ...change } : each)) })
  const add = (isSecret: boolean) => onChange({ [part]: [...values, { name: '', value: '', isSecret }] })
  return (
    <Section title={legend} unset="None" hasValue={values.length > 0} fields={fields}>
      {values.map((value, at) => (
        <ValueField
          // oxlint-disable-next-line react/no-array-index-key -- the name is being typed; the place is what stays
          key={at}
          noun={noun}
          value={value}
          onChange={(change) => replace(at, change)}
          onRemove={() => onChange({ [part]: values.filter((_, index) => index !== at) })}
        />
      ))}
      <FieldProblems fields={fields} />
      <div className="actions">
        <button type="button" className="small" onClick={() => add(false)}>
          Add a {noun}
        </button>
        <button type="button" className="small" onClick={() => add(true)}>
          Add a secret{part === 'headers' && ' header'}
        </button>
      </div>
    </Section>
  )
}

interface ValueFieldProps {
  noun: string
  value: NamedValue
  onChange: (change: Partial<NamedValue>) => void
  onRemove: () => void
}

function ValueField({ noun, value: given, onChange, onRemove }: ValueFieldProps) {
  const { name, value, description, isSecret, isRequired = false, stored } = given
  const isKnown = description !== undefined
  const label = isKnown ? name : `Value${name === '' ? '' : ` of ${name}`}`
  const secretHelp = [...sentence(description), 'Goes to the secret store.'].join(' ')
  return (
    <div className="variable">
      {!isKnown && (
        <TextField
          label={isSecret ? `Name of the secret ${noun}` : `Name of the ${noun}`}
          value={name}
          isRequired
          onChange={(next) => onChange({ name: next })}
        />
      )}
      {isSecret && <StoredSecret name={name} stored={stored} onChange={onChange} />}
      {stored === undefined && (
        <TextField
          label={label}
          help={isSecret ? secretHelp : description}
          type={isSecret ? 'password' : 'text'}
          value={value}
          isRequired={isRequired}
          onChange={(next) => onChange({ value: next })}
        />
      )}
      {!isKnown && (
        <div className="actions">
          {stored === undefined && (
            <label className="choice-line">
              <input
                type="checkbox"
                checked={isSecret}
                onChange={(event) => onChange({ isSecret: event.target.checked })}
              />
              Keep {name === '' ? 'it' : name} as a secret
            </label>
          )}
          <button type="button" className="small quiet" onClick={onRemove}>
            Remove<span className="only-read-aloud"> {name}</span>
          </button>
        </div>
      )}
    </div>
  )
}

interface StoredSecretProps {
  name: string
  stored: string | undefined
  onChange: (change: Partial<NamedValue>) => void
}

function StoredSecret({ name, stored = '', onChange }: StoredSecretProps) {
  const id = useId()
  const { data: keys = [] } = useQuery(secretsQuery)
  // One that is gone from the store is still what is configured.
  const choices = stored === '' || keys.includes(stored) ? keys : [stored, ...keys]
  if (choices.length === 0) return null
  return (
    <div className="field">
      <label htmlFor={id}>Secret for {name}</label>
      <select
        id={id}
        value={stored}
        onChange={(event) => onChange({ stored: event.target.value === '' ? undefined : event.target.value })}
      >
        <option value="">A new value</option>
        {choices.map((key) => (
          <option key={key}>{key}</option>
        ))}
      </select>
    </div>
  )
}

/** Registries end a description with a full stop or without. */
function sentence(text = ''): string[] {
  const trimmed = text.trim()
  return trimmed === '' ? [] : [/[.!?:;…]$/.test(trimmed) ? trimmed : `${trimmed}.`]
}
