import { Link } from '@tanstack/react-router'
import type { FieldsProps } from './fields-props.ts'
import { TextField } from './TextField.tsx'

export function SourceFields({ form, onChange }: FieldsProps) {
  return (
    <fieldset className="panel">
      <legend>What to run</legend>
      <p className="muted">
        Servers of the <Link to="/registry">registry</Link> bring their settings along.
      </p>
      <label className="choice-line">
        <input
          type="radio"
          name="source"
          checked={form.source === 'package'}
          onChange={() => onChange({ source: 'package' })}
        />
        A package or an image, on this machine
      </label>
      <label className="choice-line">
        <input
          type="radio"
          name="source"
          checked={form.source === 'remote'}
          onChange={() => onChange({ source: 'remote' })}
        />
        A remote server
      </label>
      {form.source === 'package' ? (
        <TextField
          label="Package or image"
          help="npx://PACKAGE, uvx://PACKAGE, go://MODULE or an image reference"
          value={form.image}
          isRequired
          onChange={(image) => onChange({ image })}
        />
      ) : (
        <TextField label="Address" type="url" value={form.url} isRequired onChange={(url) => onChange({ url })} />
      )}
    </fieldset>
  )
}
