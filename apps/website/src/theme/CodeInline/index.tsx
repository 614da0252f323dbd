import type { Props } from '@theme/CodeInline'
import type { ReactElement } from 'react'

/** What is longer may break between its words, and a longer word anywhere: no line of a phone would hold it. */
const WHOLE_TEXT = 24
const WHOLE_WORD = 32

/** Browsers break after hyphens and slashes: a flag would end a line with its dashes, and a command would be cut in two. */
export default function CodeInline({ children, ...rest }: Props): ReactElement {
  if (typeof children !== 'string') return <code {...rest}>{children}</code>
  if (children.length <= WHOLE_TEXT) {
    return (
      <code {...rest} className="whole">
        {children}
      </code>
    )
  }
  return (
    <code {...rest}>
      {children.split(/(\s+)/).map((word, at) =>
        word.length <= WHOLE_WORD && /[-/]/.test(word) ? (
          <span key={at} className="whole">
            {word}
          </span>
        ) : (
          word
        ),
      )}
    </code>
  )
}
