import type { RunForm } from './run-form.ts'

export interface FieldsProps {
  form: RunForm
  onChange: (change: Partial<RunForm>) => void
}
