import Head from '@docusaurus/Head'
import Link from '@docusaurus/Link'
import { Redirect } from '@docusaurus/router'
import useBaseUrl from '@docusaurus/useBaseUrl'
import useIsBrowser from '@docusaurus/useIsBrowser'
import type { ReactElement } from 'react'

/** The folder of the command pages has no page of its own: it leads to that of `thv`. */
export default function Commands(): ReactElement {
  const target = useBaseUrl('/toolhaven/reference/cli/thv')
  if (useIsBrowser()) return <Redirect to={target} />
  return (
    <>
      <Head>
        <title>Commands</title>
        <meta httpEquiv="refresh" content={`0; url=${target}`} />
        <meta name="robots" content="noindex" />
        <link rel="canonical" href={target} />
      </Head>
      <Link to={target}>Commands (thv)</Link>
    </>
  )
}
