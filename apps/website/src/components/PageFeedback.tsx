import useDocusaurusContext from '@docusaurus/useDocusaurusContext'
import { type ReactElement, useEffect, useState } from 'react'
import styles from './PageFeedback.module.css'

type Answer = 'yes' | 'no'

/** "Was this page helpful?" The answer stays in the browser; with an address configured, the reader may say more there. */
export default function PageFeedback({ page }: { page: string }): ReactElement {
  const { feedbackUrl } = useDocusaurusContext().siteConfig.customFields ?? {}
  const [answer, setAnswer] = useState<Answer>()
  // Not in the first render, which has to be that of the server.
  useEffect(() => setAnswer(remembered(page)), [page])
  const choose = (chosen: Answer) => {
    setAnswer(chosen)
    remember(page, chosen)
  }
  return (
    <footer className={styles.feedback} role="group" aria-label="Was this page helpful?">
      <span>Was this page helpful?</span>
      {(['yes', 'no'] as const).map((each) => (
        <button key={each} type="button" aria-pressed={answer === each} onClick={() => choose(each)}>
          {each === 'yes' ? 'Yes' : 'No'}
        </button>
      ))}
      <span role="status">
        {answer === undefined ? null : (
          <>
            Thank you.{' '}
            {typeof feedbackUrl === 'string' ? <a href={filledIn(feedbackUrl, page, answer)}>Tell us more</a> : null}
          </>
        )}
      </span>
    </footer>
  )
}

function filledIn(address: string, page: string, answer: Answer): string {
  return address.replaceAll('{page}', encodeURIComponent(page)).replaceAll('{answer}', answer)
}

function remembered(page: string): Answer | undefined {
  try {
    const stored = localStorage.getItem(`helpful:${page}`)
    return stored === 'yes' || stored === 'no' ? stored : undefined
  } catch {
    return undefined
  }
}

function remember(page: string, answer: Answer): void {
  try {
    localStorage.setItem(`helpful:${page}`, answer)
  } catch {
    // Storage may be blocked. The answer then lasts as long as the page.
  }
}
