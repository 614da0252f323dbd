import { useId } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'

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
}: TextFieldProps) {
  const id = useId()
  const shared = {
    ...{ id, value, required: isRequired, disabled: isDisabled, spellCheck: false, autoComplete: 'off' },
    'aria-describedby': help === undefined ? undefined : `${id}-help`,
  }
  return (
    <div className="field">
      <label htmlFor={id}>
        <ForeignText text={label} />
        {isRequired && <span className="muted"> (required)</span>}
      </label>
      {rows === undefined ? (
        <input {...shared} type={type} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
      )}
      {help !== undefined && (
        <span id={`${id}-help`} className="muted help">
          <ForeignText text={help} />
        </span>
      )}
    </div>
  )
}
