import { type ReactElement, useState } from 'react'
import styles from './CopyLine.module.css'

/** One command with a button that copies it. */
export default function CopyLine({ command }: { command: string }): ReactElement {
  const [isCopied, setIsCopied] = useState(false)
  const copy = () => {
    void navigator.clipboard.writeText(command).then(() => setIsCopied(true))
  }
  return (
    <div className={styles.line}>
      <code>{command}</code>
      <button type="button" onClick={copy}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  )
}
