import CodeBlock from '@theme-original/CodeBlock'
import type { Props } from '@theme/CodeBlock'
import type { ReactElement } from 'react'

/** At least three columns in a line: wrapped, nobody could read them. */
const TABLE = /\S {2,}\S.* {2,}\S/

/**
 * What a program prints (`text output`) does not look like what a reader types, and has no button to copy it. Sentences wrap;
 * tables keep their columns and scroll.
 */
export default function CodeBlockOfCommandOrOutput(props: Props): ReactElement {
  const isOutput = /(?:^|\s)output(?:\s|$)/.test(props.metastring ?? '')
  const isTable = typeof props.children === 'string' && TABLE.test(props.children)
  return isOutput ? (
    <div className={isTable ? 'code-output code-output--table' : 'code-output'}>
      <CodeBlock {...props} />
    </div>
  ) : (
    <CodeBlock {...props} />
  )
}
