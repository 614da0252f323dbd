import type { SchemaFieldProps } from './field-props.ts'
import { fieldOf } from './form-field.ts'
import { ListField, ObjectField, VariantsField } from './NestedFields.tsx'
import { ChoiceField, ChoicesField, FlagField, JsonField, NumberField, TextInput } from './SimpleFields.tsx'

/** A field for a value of any schema. */
export function SchemaField({ depth = 0, ...props }: SchemaFieldProps) {
  const field = fieldOf(props.schema, props.root, depth)
  const shared = { ...props, depth, label: field.title ?? props.label }
  switch (field.kind) {
    case 'text':
      return <TextInput {...shared} field={field} />
    case 'number':
      return <NumberField {...shared} field={field} />
    case 'flag':
      return <FlagField {...shared} field={field} />
    case 'choice':
      return <ChoiceField {...shared} field={field} />
    case 'choices':
      return <ChoicesField {...shared} field={field} />
    case 'list':
      return <ListField {...shared} field={field} Inner={SchemaField} />
    case 'object':
      return <ObjectField {...shared} field={field} Inner={SchemaField} />
    case 'variants':
      return <VariantsField {...shared} field={field} Inner={SchemaField} />
    case 'json':
      return <JsonField {...shared} field={field} />
    default:
      return field satisfies never
  }
}
