import BrowserOnly from '@docusaurus/BrowserOnly'
import useBaseUrl from '@docusaurus/useBaseUrl'
import { type ReactElement, type ReactNode, Suspense, lazy } from 'react'

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

/**
 * The API description in a viewer that is loaded only here: it is larger than the rest of the site together. Until it is
 * there, and for those who never load it, the operations stand in the page as text.
 */
export default function ApiReference({ spec, children }: { spec: string; children: ReactNode }): ReactElement {
  const specUrl = useBaseUrl(spec)
  const operations = <>{children}</>
  return (
    <BrowserOnly fallback={operations}>
      {() => (
        <Suspense fallback={operations}>
          <Viewer specUrl={specUrl} />
        </Suspense>
      )}
    </BrowserOnly>
  )
}
