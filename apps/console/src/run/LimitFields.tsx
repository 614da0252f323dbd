import { FieldProblems } from './FieldProblems.tsx'
import type { FieldsProps } from './fields-props.ts'
import { Section } from './Section.tsx'
import { TextField } from './TextField.tsx'

interface NumberField {
  part: 'memory' | 'cpus' | 'processes' | 'requests' | 'clientRequests'
  /** Of the request. */
  field: string
  label: string
  help: string
}

/** What the server itself may use. */
const RESOURCES: readonly NumberField[] = [
  {
    ...{ part: 'memory', field: 'resources.memory_mb', label: 'Memory in MB' },
    help: 'Default: the limit of the runtime',
  },
  { part: 'cpus', field: 'resources.cpus', label: 'CPU cores', help: 'Such as 0.5. Default: no limit' },
  {
    ...{ part: 'processes', field: 'resources.pids', label: 'Processes' },
    help: 'At the same time, with their threads. Default: the limit of the runtime',
  },
]

/** What clients may ask of it. */
const REQUESTS: readonly NumberField[] = [
  {
    ...{ part: 'requests', field: 'limits.requests_per_minute', label: 'Requests per minute' },
    help: 'Of all clients together. Default: no limit',
  },
  {
    ...{ part: 'clientRequests', field: 'limits.client_requests_per_minute' },
    ...{ label: 'Requests per minute of each client', help: 'Default: no limit' },
  },
]

/** What the server may use, and what clients may ask of it. */
export function LimitFields({ form, onChange, isRemote }: FieldsProps & { isRemote: boolean }) {
  const numbers = isRemote ? REQUESTS : [...RESOURCES, ...REQUESTS]
  return (
    <Section
      title="Tools and limits"
      unset="All tools, no limits of your own"
      hasValue={form.tools !== '' || numbers.some(({ part }) => form[part] !== '')}
      fields={['tools', 'resources', 'limits', ...numbers.map(({ field }) => field)]}
    >
      <TextField
        label="Tools"
        help="One on each line. Only these are offered to clients. Default: all"
        value={form.tools}
        rows={2}
        field="tools"
        onChange={(tools) => onChange({ tools })}
      />
      {numbers.map(({ part, ...shown }) => (
        <TextField
          key={part}
          {...shown}
          type="number"
          value={form[part]}
          onChange={(value) => onChange({ [part]: value })}
        />
      ))}
      <FieldProblems fields={['resources', 'limits']} />
    </Section>
  )
}
