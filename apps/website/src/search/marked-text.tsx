import type { ReactElement } from 'react'

/**
 * Shows a text with `<mark>` in it. Only those tags count: everything else is shown as text, entities decoded, so that
 * nothing that a search host answers can become part of the page.
 */
export function MarkedText({ html }: { html: string }): ReactElement {
  const parts = html.split(/(<mark>.*?<\/mark>)/s)
  return (
    <>
      {parts.map((part, at) =>
        // Every second part is a marked one; the parts never change places.
        // oxlint-disable-next-line react/no-array-index-key
        at % 2 === 1 ? <mark key={at}>{decode(part.slice(6, -7))}</mark> : decode(part),
      )}
    </>
  )
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function decode(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity)
}
