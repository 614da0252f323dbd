import ComponentCreator from '@docusaurus/ComponentCreator'
import routesChunkNames from '@generated/routesChunkNames'
import Layout from '@theme/Layout'
import { type ComponentType, type ReactElement, useState } from 'react'

/** A page of the site, loaded as the router loads pages, but without the preloading that goes before a route change. */
function loadPage(path: string): ComponentType {
  const key = Object.keys(routesChunkNames).find((name) => name.startsWith(`${path}-`))
  return ComponentCreator(path, key?.slice(path.length + 1) ?? '')
}

export default function Lazy(): ReactElement {
  const [Page, setPage] = useState<{ component: ComponentType }>()
  return (
    <Layout>
      <main>
        <h1>Lazy</h1>
        <button type="button" onClick={() => setPage({ component: loadPage('/target') })}>
          Load
        </button>
        <div id="place">{Page === undefined ? null : <Page.component />}</div>
      </main>
    </Layout>
  )
}
