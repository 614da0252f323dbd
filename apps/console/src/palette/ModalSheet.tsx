import { type ReactNode, useEffect, useRef } from 'react'

export interface ModalSheetProps {
  label: string
  children: ReactNode
  onClose: () => void
}

/** The browser's own dialog: it keeps the focus inside, closes with Escape, and gives the focus back to where it was. */
export function ModalSheet({ label, children, onClose }: ModalSheetProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const shown = dialog.current
    if (shown?.open === false) shown.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      className="sheet"
      aria-label={label}
      onClose={onClose}
      // The backdrop is part of the dialog; what is in front of it are children.
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <div className="sheet-content">{children}</div>
    </dialog>
  )
}
