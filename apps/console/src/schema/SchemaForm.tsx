import type { Fault } from './find-faults.ts'
import { propertiesOf } from './form-field.ts'
import { type JsonSchema, ownValue, resolveSchema } from './json-schema.ts'
import { withValue } from './NestedFields.tsx'
import { SchemaField } from './SchemaField.tsx'

export interface SchemaFormProps {
  schema: JsonSchema
  value: Readonly<Record<string, unknown>>
  onChange: (value: Record<string, unknown>) => void
  faults: readonly Fault[]
}

/** The fields of everything that an object takes. */
export function SchemaForm({ schema, value, onChange, faults }: SchemaFormProps) {
  const fields = propertiesOf(resolveSchema(schema, schema))
  return fields.map(({ name, schema: inner, isRequired }) => (
    <SchemaField
      key={name}
      {...{ faults, isRequired, root: schema, schema: inner, depth: 1 }}
      label={name}
      path={`/${name}`}
      value={ownValue(value, name)}
      onChange={(next) => onChange(withValue(value, name, next))}
    />
  ))
}
