import type { ReactNode } from 'react'

export interface PageTitleProps {
  title: string
  /** Stands before the title, such as a status. */
  before?: ReactNode
  /** The page's actions, at the end of the line. */
  children?: ReactNode
}

/** The heading of a page, which also names the tab of the browser. */
export function PageTitle({ title, before, children }: PageTitleProps) {
  return (
    <div className="page-title">
      <title>{`${title} · Toolhaven`}</title>
      <h1 tabIndex={-1}>
        {title} {before}
      </h1>
      {children && <div className="actions">{children}</div>}
    </div>
  )
}
