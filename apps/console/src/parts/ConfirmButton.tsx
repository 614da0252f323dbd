import { AlertDialog } from '@base-ui/react/alert-dialog'
import type { ReactNode } from 'react'

export interface ConfirmButtonProps {
  /** The verb, on the button and in the dialog. */
  verb: string
  title: string
  /** What is lost. */
  children: ReactNode
  className?: string
  isDisabled?: boolean
  onConfirm: () => void
}

/** Confirms a decision that cannot be undone. The focus starts on the harmless button. */
export function ConfirmButton({ verb, title, children, className, isDisabled, onConfirm }: ConfirmButtonProps) {
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger className={className} disabled={isDisabled}>
        {verb}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title>{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />}>{children}</AlertDialog.Description>
          <div className="actions">
            <AlertDialog.Close>Keep</AlertDialog.Close>
            <AlertDialog.Close className="danger" onClick={onConfirm}>
              {verb}
            </AlertDialog.Close>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
