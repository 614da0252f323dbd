import type { ReactElement } from 'react'

export default function Target(): ReactElement {
  return <p>The page that was waited for</p>
}
