import type { Fault } from './find-faults.ts'
import type { FormField } from './form-field.ts'
import type { JsonSchema } from './json-schema.ts'

/** A field for one value of a schema. */
export interface SchemaFieldProps {
  label: string
  schema: unknown
  /** The whole schema, which references lead into. */
  root: JsonSchema
  value: unknown
  /** Undefined takes it out. */
  onChange: (value: unknown) => void
  /** Where it is in the whole, as in what is wrong with it. */
  path: string
  faults: readonly Fault[]
  isRequired: boolean
  depth?: number
}

/** The same, with what its schema comes down to. */
export type KindProps<Kind extends FormField['kind']> = Omit<SchemaFieldProps, 'depth'> & {
  field: Extract<FormField, { kind: Kind }>
  depth: number
}

export const faultAt = (faults: readonly Fault[], path: string) => faults.find((each) => each.path === path)?.message
