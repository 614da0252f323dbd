import useBaseUrl from '@docusaurus/useBaseUrl'
import ThemedImage from '@theme/ThemedImage'
import type { ReactElement } from 'react'
import styles from './Screenshot.module.css'

interface ScreenshotProps {
  /** Of the picture that `npm run screenshots` takes. */
  name: string
  /** What it shows, for those who do not see it. */
  alt: string
}

/** A picture of the console in the colours of the page. */
export default function Screenshot({ name, alt }: ScreenshotProps): ReactElement {
  const sources = {
    light: useBaseUrl(`/screenshots/${name}-light.webp`),
    dark: useBaseUrl(`/screenshots/${name}-dark.webp`),
  }
  return (
    <ThemedImage className={styles.screenshot} sources={sources} alt={alt} width={1080} height={720} loading="lazy" />
  )
}
