import { useId } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'
import { FieldProblems, useFieldProblems } from './FieldProblems.tsx'

export interface TextFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  help?: string | undefined
  type?: 'text' | 'password' | 'number' | 'url'
  /** A text of several lines. */
  rows?: number
  isRequired?: boolean
  isDisabled?: boolean
  /** Of the request. What the daemon says against it is shown here. */
  field?: string
}

export function TextField({
  label,
  help,
  value,
  onChange,
  type = 'text',
  rows,
  isRequired,
  isDisabled,
  field,
}: TextFieldProps) {
  const id = useId()
  const fields = field === undefined ? [] : [field]
  const isWrong = useFieldProblems(fields).length > 0
  const about = [...(help === undefined ? [] : [`${id}-help`]), ...(isWrong ? [`${id}-problem`] : [])]
  const shared = {
    ...{ id, value, required: isRequired, disabled: isDisabled, spellCheck: false, autoComplete: 'off' },
    'aria-describedby': about.length > 0 ? about.join(' ') : undefined,
    'aria-invalid': isWrong || undefined,
  }
  return (
    <div className="field">
      <label htmlFor={id}>
        <ForeignText text={label} />
        {isRequired && <span className="muted"> (required)</span>}
      </label>
      {rows === undefined ? (
        <input {...shared} type={type} step="any" onChange={(event) => onChange(event.target.value)} />
      ) : (
        <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
      )}
      {help !== undefined && (
        <span id={`${id}-help`} className="muted help">
          <ForeignText text={help} />
        </span>
      )}
      <FieldProblems fields={fields} id={`${id}-problem`} />
    </div>
  )
}
