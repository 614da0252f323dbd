import CodeBlock from '@theme-original/CodeBlock'
import type { Props } from '@theme/CodeBlock'
import type { ReactElement } from 'react'

/** What a program prints (`text output`) does not look like what a reader types, and has no button to copy it. */
export default function CodeBlockOfCommandOrOutput(props: Props): ReactElement {
  const isOutput = /(?:^|\s)output(?:\s|$)/.test(props.metastring ?? '')
  return isOutput ? (
    <div className="code-output">
      <CodeBlock {...props} />
    </div>
  ) : (
    <CodeBlock {...props} />
  )
}
