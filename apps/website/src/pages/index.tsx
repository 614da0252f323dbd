import Link from '@docusaurus/Link'
import Layout from '@theme/Layout'
import type { ReactElement } from 'react'

export default function Home(): ReactElement {
  return (
    <Layout description="Toolhaven: simple and secure AI tools">
      <main className="container margin-vert--xl">
        <h1>Toolhaven</h1>
        <p>simple and secure AI tools</p>
        <Link to="/theme-preview">Theme preview</Link>
      </main>
    </Layout>
  )
}
