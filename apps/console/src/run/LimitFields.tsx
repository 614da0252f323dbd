import { FieldProblems } from './FieldProblems.tsx'
import type { FieldsProps } from './fields-props.ts'
import { TextField } from './TextField.tsx'

/** What the server may use, and what clients may ask of it. */
export function LimitFields({ form, onChange, isRemote }: FieldsProps & { isRemote: boolean }) {
  return (
    <fieldset className="panel">
      <legend>Tools and limits</legend>
      <TextField
        label="Tools"
        help="One on each line. Only these are offered to clients. Default: all"
        value={form.tools}
        rows={2}
        field="tools"
        onChange={(tools) => onChange({ tools })}
      />
      {!isRemote && (
        <>
          <TextField
            label="Memory in MB"
            help="Default: the limit of the runtime"
            type="number"
            value={form.memory}
            onChange={(memory) => onChange({ memory })}
          />
          <TextField
            label="CPU cores"
            help="Such as 0.5. Default: no limit"
            type="number"
            value={form.cpus}
            onChange={(cpus) => onChange({ cpus })}
          />
          <TextField
            label="Processes"
            help="At the same time, with their threads. Default: the limit of the runtime"
            type="number"
            value={form.processes}
            onChange={(processes) => onChange({ processes })}
          />
          <FieldProblems fields={['resources']} />
        </>
      )}
      <TextField
        label="Requests per minute"
        help="Of all clients together. Default: no limit"
        type="number"
        value={form.requests}
        onChange={(requests) => onChange({ requests })}
      />
      <TextField
        label="Requests per minute of each client"
        help="Default: no limit"
        type="number"
        value={form.clientRequests}
        onChange={(clientRequests) => onChange({ clientRequests })}
      />
      <FieldProblems fields={['limits']} />
    </fieldset>
  )
}
