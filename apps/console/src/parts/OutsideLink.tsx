import { ForeignText } from './ForeignText.tsx'

/** A link that others wrote: http(s) only, in a tab of its own that learns nothing of this page. Anything else is text. */
export function OutsideLink({ address }: { address: string }) {
  const text = <ForeignText text={address} />
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return text
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {text}
    </a>
  )
}
