import BrowserOnly from '@docusaurus/BrowserOnly'
import type { Props } from '@theme/Mermaid'
import { type ReactElement, Suspense, lazy } from 'react'

// The stock theme imports mermaid statically, which would put it into the script of every page.
const Diagram = lazy(() => import('@theme-original/Mermaid'))

export default function Mermaid(props: Props): ReactElement {
  const waiting = (
    <p className="diagram-waiting" role="status">
      Loading the diagram…
    </p>
  )
  return (
    <BrowserOnly fallback={waiting}>
      {() => (
        <Suspense fallback={waiting}>
          <Diagram {...props} />
        </Suspense>
      )}
    </BrowserOnly>
  )
}
