import type { ReactElement } from 'react'

/** Diagrams are drawn beforehand (site/drawn-diagrams.ts). The stock component would be in the script of every page. */
export default function Mermaid(): ReactElement {
  throw new Error('This diagram was not drawn: site/drawn-diagrams.ts did not meet it.')
}
