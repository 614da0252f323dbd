import type { ReactNode } from 'react'
import { messageOf } from '../api.ts'
import { PageTitle } from './PageTitle.tsx'
import { Problem } from './Problem.tsx'

interface PageWithoutDataProps {
  title: string
  error: unknown
  /** What puts the error right. */
  children?: ReactNode
}

/** A page until the daemon has answered, or with the reason why it did not. */
export function PageWithoutData({ title, error, children }: PageWithoutDataProps) {
  return (
    <>
      <PageTitle title={title} />
      {error ? <Problem message={messageOf(error)}>{children}</Problem> : <p className="muted">Asking the daemon …</p>}
    </>
  )
}
