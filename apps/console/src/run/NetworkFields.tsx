import type { FieldsProps } from './fields-props.ts'
import type { NetworkChoice } from './run-form.ts'
import { TextField } from './TextField.tsx'

const CHOICES: readonly { choice: NetworkChoice; label: string }[] = [
  { choice: 'as-asked', label: 'As the registry says; without an entry, every public host' },
  { choice: 'none', label: 'No network' },
  { choice: 'hosts', label: 'Only these hosts' },
  { choice: 'internet', label: 'Every public host' },
]

export function NetworkFields({ form, onChange }: FieldsProps) {
  return (
    <fieldset className="panel">
      <legend>Network</legend>
      {CHOICES.map(({ choice, label }) => (
        <label key={choice} className="choice-line">
          <input
            type="radio"
            name="network"
            checked={form.network === choice}
            onChange={() => onChange({ network: choice })}
          />
          {label}
        </label>
      ))}
      {form.network === 'hosts' && (
        <TextField
          label="Hosts"
          help="One on each line. *.example.com is every name below; a private host needs its port, such as localhost:5432"
          value={form.hosts}
          rows={3}
          onChange={(hosts) => onChange({ hosts })}
        />
      )}
    </fieldset>
  )
}
