import BrowserOnly from '@docusaurus/BrowserOnly'
import { useVersions } from '@docusaurus/plugin-content-docs/client'
import Layout from '@theme/Layout'
import type { ReactElement } from 'react'

function Versions(): ReactElement {
  return <p>{useVersions(undefined).length} versions</p>
}

/** Asks for the versions of the docs, in the browser only: without the docs plugin that fails. */
export default function VersionsPage(): ReactElement {
  return (
    <Layout>
      <main>
        <h1>Versions</h1>
        <BrowserOnly>{() => <Versions />}</BrowserOnly>
      </main>
    </Layout>
  )
}
