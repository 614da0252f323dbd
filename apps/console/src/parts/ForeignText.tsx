import { splitHidden } from './split-hidden.ts'

/** Text of a server or a registry: never markup, always left to right, with everything in it in sight. */
export function ForeignText({ text }: { text: string }) {
  return (
    <bdi dir="ltr">
      {splitHidden(text).map((part, at) =>
        part.isHidden ? (
          // oxlint-disable-next-line react/no-array-index-key -- the pieces of one text have no other name
          <span key={at} className="hidden-character" title="A character that nobody would see">
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </bdi>
  )
}
