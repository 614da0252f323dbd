import { Choices } from './Choices.tsx'
import { FieldProblems } from './FieldProblems.tsx'
import type { FieldsProps } from './fields-props.ts'
import type { NetworkChoice } from './run-form.ts'
import { Section } from './Section.tsx'
import { TextField } from './TextField.tsx'

const CHOICES: readonly { choice: NetworkChoice; label: string }[] = [
  { choice: 'as-asked', label: 'As the registry says; without an entry, every public host' },
  { choice: 'none', label: 'No network' },
  { choice: 'hosts', label: 'Only these hosts' },
  { choice: 'internet', label: 'Every public host' },
  { choice: 'machine', label: 'The network of this machine, with every service on it' },
]

const FIELDS = ['permission_profile', 'allow_hosts', 'network_mode']

export function NetworkFields({ form, onChange }: FieldsProps) {
  return (
    <Section
      title="Network"
      unset="As the registry says; without an entry, every public host"
      hasValue={form.network !== 'as-asked' || form.moreHosts !== ''}
      fields={FIELDS}
    >
      <Choices name="network" choices={CHOICES} chosen={form.network} onChoose={(network) => onChange({ network })} />
      {form.network === 'hosts' && (
        <>
          <TextField
            label="Hosts"
            help="One on each line. *.example.com allows every name below example.com. A private host needs its port, such as localhost:5432"
            value={form.hosts}
            rows={3}
            onChange={(hosts) => onChange({ hosts })}
          />
          <TextField
            label="Ports of these hosts"
            help="One on each line. Default: 80 and 443"
            value={form.ports}
            rows={2}
            onChange={(ports) => onChange({ ports })}
          />
        </>
      )}
      {form.network !== 'machine' && (
        <TextField
          label="Additional hosts"
          help="One on each line, such as api.example.com, or localhost:5432 for a service of this machine"
          value={form.moreHosts}
          rows={2}
          onChange={(moreHosts) => onChange({ moreHosts })}
        />
      )}
      <FieldProblems fields={FIELDS} />
    </Section>
  )
}
