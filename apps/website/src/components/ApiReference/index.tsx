import BrowserOnly from '@docusaurus/BrowserOnly'
import useBaseUrl from '@docusaurus/useBaseUrl'
import { type ReactElement, Suspense, lazy } from 'react'

declare global {
  interface Window {
    Prism?: { manual?: boolean }
  }
}

const Viewer = lazy(async () => {
  // The highlighter inside the viewer would otherwise work over every code block of the page when it loads.
  window.Prism = { ...window.Prism, manual: true }
  return import('./Viewer')
})

/** The API description in a viewer that is loaded only here: it is larger than the rest of the site together. */
export default function ApiReference({ spec }: { spec: string }): ReactElement {
  const specUrl = useBaseUrl(spec)
  const waiting = <p role="status">Loading the API reference…</p>
  return (
    <BrowserOnly fallback={waiting}>
      {() => (
        <Suspense fallback={waiting}>
          <Viewer specUrl={specUrl} />
        </Suspense>
      )}
    </BrowserOnly>
  )
}
