import BrowserOnly from '@docusaurus/BrowserOnly'
import type { Props } from '@theme/Mermaid'
import { type ReactElement, Suspense, lazy, useSyncExternalStore } from 'react'

// The stock theme imports mermaid statically, which would put it into the script of every page. It is larger than the rest
// of that script, so it also waits until the page has all it needs itself.
const Diagram = lazy(async () => {
  if (document.readyState !== 'complete') {
    await new Promise((loaded) => window.addEventListener('load', loaded, { once: true }))
  }
  return import('@theme-original/Mermaid')
})

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
          <FittingDiagram {...props} />
        </Suspense>
      )}
    </BrowserOnly>
  )
}

/** From left to right, a diagram would shrink on a narrow screen until nobody can read it: there it goes downwards. */
function FittingDiagram({ value }: Props): ReactElement {
  const isNarrow = useSyncExternalStore(onWidth, () => window.matchMedia(NARROW).matches)
  return <Diagram value={isNarrow ? value.replace(/^(\s*flowchart\s+)LR\b/, '$1TB') : value} />
}

const NARROW = '(width <= 600px)'

function onWidth(changed: () => void): () => void {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}
