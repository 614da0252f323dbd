import type { ReactNode } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'

export interface FieldFrameProps {
  id: string
  label: string
  help: string
  fault: string | undefined
  isRequired: boolean
  children: ReactNode
}

/** What is around a field of one value: its label, what the server says of it, and what is wrong. */
export function FieldFrame({ id, label, help, fault, isRequired, children }: FieldFrameProps) {
  return (
    <div className="field">
      <label htmlFor={id}>
        <ForeignText text={label} />
        {isRequired && <span className="muted"> (required)</span>}
      </label>
      {children}
      <FieldNotes id={id} help={help} fault={fault} />
    </div>
  )
}

export function FieldNotes({ id, help, fault }: Pick<FieldFrameProps, 'id' | 'help' | 'fault'>) {
  return (
    <>
      {fault !== undefined && (
        <span id={`${id}-fault`} className="fault">
          <ForeignText text={fault} />
        </span>
      )}
      {help !== '' && (
        <span id={`${id}-help`} className="muted help">
          <ForeignText text={help} />
        </span>
      )}
    </>
  )
}

/** What a control refers to, for who cannot see what stands beside it. */
export function describedBy(id: string, help: string, fault: string | undefined) {
  const ids = [...(fault === undefined ? [] : [`${id}-fault`]), ...(help === '' ? [] : [`${id}-help`])]
  return { 'aria-describedby': ids.length > 0 ? ids.join(' ') : undefined, 'aria-invalid': fault !== undefined }
}
