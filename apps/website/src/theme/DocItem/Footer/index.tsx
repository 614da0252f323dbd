import { useDoc } from '@docusaurus/plugin-content-docs/client'
import Footer from '@theme-original/DocItem/Footer'
import type { ReactElement } from 'react'
import PageFeedback from '../../../components/PageFeedback'

/** Edit link and date of the last change, where they are configured, below the question to the reader. */
export default function FooterWithQuestion(): ReactElement {
  const { permalink } = useDoc().metadata
  return (
    <>
      <PageFeedback key={permalink} page={permalink} />
      <Footer />
    </>
  )
}
