import type { ReactNode } from 'react'
import { ForeignText } from './ForeignText.tsx'

/** What went wrong, in the API's own sentence, with what puts it right. */
export function Problem({ message, children }: { message: string; children?: ReactNode }) {
  return (
    <div className="problem" role="alert">
      <p>
        <ForeignText text={message} />
      </p>
      {children && <div className="actions">{children}</div>}
    </div>
  )
}
