import { Link } from '@tanstack/react-router'
import { Choices } from './Choices.tsx'
import type { FieldsProps } from './fields-props.ts'
import { linesOf } from './run-form.ts'
import { sourceOfCommand } from './source-of-command.ts'
import { TextField } from './TextField.tsx'

const SOURCES = [
  { choice: 'package', label: 'A package or an image, on this machine' },
  { choice: 'remote', label: 'A remote server' },
] as const

export function SourceFields({ form, onChange }: FieldsProps) {
  return (
    <fieldset className="panel">
      <legend>What to run</legend>
      <p className="muted">
        Servers of the <Link to="/registry">registry</Link> bring their settings along.
      </p>
      <Choices name="source" choices={SOURCES} chosen={form.source} onChoose={(source) => onChange({ source })} />
      <TargetField form={form} onChange={onChange} />
    </fieldset>
  )
}

/** What a server is made from. */
export function TargetField({ form, onChange }: FieldsProps) {
  return form.source === 'package' ? (
    <>
      <TextField
        label="Package or image"
        help="npx://PACKAGE, uvx://PACKAGE, go://MODULE, an image reference, or a server of the registry"
        value={form.image}
        isRequired
        field="image"
        onChange={(image) => onChange({ image })}
      />
      <CommandOffer form={form} onChange={onChange} />
    </>
  ) : (
    <TextField
      label="Address"
      type="url"
      value={form.url}
      isRequired
      field="url"
      onChange={(url) => onChange({ url })}
    />
  )
}

/** Documentation of servers gives commands; the package in them is what runs here. */
function CommandOffer({ form, onChange }: FieldsProps) {
  const found = sourceOfCommand(form.image)
  if (!found) return null
  const { image, args } = found
  const take = () => onChange({ image, args: [...args, ...linesOf(form.args)].join('\n') })
  return (
    <p className="actions">
      This is a command.
      <button type="button" className="small" onClick={take}>
        Use {image}
      </button>
    </p>
  )
}
