import { type ComponentType, type ReactNode, useId, useState } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'
import { visibleText } from '../parts/split-hidden.ts'
import { FieldNotes } from './FieldFrame.tsx'
import { faultAt, type KindProps, type SchemaFieldProps } from './field-props.ts'
import { findFaults } from './find-faults.ts'
import { initialValue } from './initial-value.ts'
import { isObject, ownValue } from './json-schema.ts'

/** Fields inside hold fields of every kind. */
interface Nesting {
  Inner: ComponentType<SchemaFieldProps>
}

export function ObjectField(props: KindProps<'object'> & Nesting) {
  const { label, field, schema, root, value, onChange, path, faults, isRequired, depth, Inner } = props
  const add = () => onChange(initialValue(schema, root) ?? {})
  // What may be left out is asked for when it is wanted: a schema may go on for ever.
  if (value === undefined && !isRequired)
    return (
      <div>
        <button type="button" className="small" onClick={add}>
          <ForeignText text={`Add ${label}`} />
        </button>
      </div>
    )
  return (
    <Group {...props} help={field.help} onRemove={isRequired ? undefined : () => onChange(undefined)}>
      {field.fields.map(({ name, schema: inner, isRequired: isNeeded }) => (
        <Inner
          key={name}
          {...{ root, faults, depth: depth + 1 }}
          label={name}
          schema={inner}
          isRequired={isNeeded}
          path={`${path}/${name}`}
          value={ownValue(value, name)}
          onChange={(next) => onChange(withValue(value, name, next))}
        />
      ))}
    </Group>
  )
}

/** A value that is undefined is not there. */
export function withValue(object: unknown, name: string, value: unknown): Record<string, unknown> {
  const others = Object.entries(isObject(object) ? object : {}).filter(([key]) => key !== name)
  const at = Object.keys(isObject(object) ? object : {}).indexOf(name)
  if (value !== undefined) others.splice(at === -1 ? others.length : at, 0, [name, value])
  return Object.fromEntries(others)
}

export function ListField(props: KindProps<'list'> & Nesting) {
  const { label, field, root, value, onChange, path, faults, isRequired, depth, Inner } = props
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const change = (next: readonly unknown[]) => onChange(next.length === 0 && !isRequired ? undefined : next)
  return (
    <Group {...props} help={field.help}>
      {items.map((item, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- items have no name but their place
        <div key={at} className="list-item">
          <Inner
            {...{ root, faults, depth: depth + 1, schema: field.item, isRequired: true }}
            label={`${label} ${at + 1}`}
            path={`${path}/${at}`}
            value={item}
            // An item that is emptied is still an item.
            onChange={(next) => change(items.with(at, next ?? ''))}
          />
          <button type="button" className="small quiet" onClick={() => change(items.toSpliced(at, 1))}>
            Remove
            <span className="only-read-aloud">
              {' '}
              {label} {at + 1}
            </span>
          </button>
        </div>
      ))}
      <div>
        <button
          type="button"
          className="small"
          onClick={() => change([...items, initialValue(field.item, root, depth) ?? ''])}
        >
          <ForeignText text={`Add to ${label}`} />
        </button>
      </div>
    </Group>
  )
}

/** One of several forms that a value can have. */
export function VariantsField(props: KindProps<'variants'> & Nesting) {
  const { label, field, root, value, onChange, path, faults, isRequired, depth, Inner } = props
  const id = useId()
  const { variants } = field
  const [chosen, setChosen] = useState(() => {
    const fitting = variants.findIndex(({ schema }) => findFaults(schema, value, root).length === 0)
    return value === undefined ? 0 : Math.max(fitting, 0)
  })
  const choose = (at: number) => {
    setChosen(at)
    onChange(initialValue(variants[at]?.schema, root, depth))
  }
  const { schema } = variants[chosen] ?? {}
  return (
    <Group {...props} help={field.help}>
      <div className="field">
        <label htmlFor={id}>
          Form of <ForeignText text={label} />
        </label>
        <select id={id} value={chosen} onChange={(event) => choose(Number(event.target.value))}>
          {variants.map((variant, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- several may have one name
            <option key={at} value={at}>
              {visibleText(variant.label)}
            </option>
          ))}
        </select>
      </div>
      <Inner key={chosen} {...{ label, schema, root, value, onChange, path, faults, isRequired, depth: depth + 1 }} />
    </Group>
  )
}

interface GroupProps {
  label: string
  help: string
  path: string
  faults: SchemaFieldProps['faults']
  isRequired: boolean
  onRemove?: (() => void) | undefined
  children: ReactNode
}

function Group({ label, help, path, faults, isRequired, onRemove, children }: GroupProps) {
  const id = useId()
  return (
    <fieldset className="nested" aria-describedby={help === '' ? undefined : `${id}-help`}>
      <legend>
        <ForeignText text={label} />
        {isRequired && <span className="muted"> (required)</span>}
      </legend>
      <FieldNotes id={id} help={help} fault={faultAt(faults, path)} />
      {children}
      {onRemove && (
        <div>
          <button type="button" className="small quiet" onClick={onRemove}>
            <ForeignText text={`Leave out ${label}`} />
          </button>
        </div>
      )}
    </fieldset>
  )
}
