import useBaseUrl from '@docusaurus/useBaseUrl'
import { diagramName } from '../../../builder/diagram-name'
import diagrams from '@site/site/diagrams.json'
import type { Props } from '@theme/Mermaid'
import type { ReactElement } from 'react'

interface Drawing {
  /** What is written in it, for those who do not see it. */
  labels: string
  wide: number[]
  /** From left to right it would shrink on a narrow screen until nobody can read it: there it goes downwards. */
  narrow?: number[]
}

const DRAWINGS: Readonly<Record<string, Drawing>> = diagrams
const NARROW = '(width <= 600px)'

/** A diagram that was drawn when the page was written (tools/generate-diagrams.ts): no script draws it, and both modes are there. */
export default function Mermaid({ value }: Props): ReactElement {
  const name = diagramName(value)
  const drawing = DRAWINGS[name]
  const folder = useBaseUrl('/diagrams/')
  if (drawing === undefined) throw new Error(`A diagram is not drawn yet. Run npm run generate.\n${value}`)
  const { labels, wide, narrow } = drawing
  return (
    <div className="diagram" tabIndex={0}>
      {(['light', 'dark'] as const).map((mode) => (
        <picture key={mode} className={`diagram__picture diagram__picture--${mode}`}>
          {narrow === undefined ? null : (
            <source
              media={NARROW}
              srcSet={`${folder}${name}-narrow-${mode}.svg`}
              width={narrow[0]}
              height={narrow[1]}
            />
          )}
          <img
            src={`${folder}${name}-wide-${mode}.svg`}
            width={wide[0]}
            height={wide[1]}
            alt={`Diagram with: ${labels}`}
            loading="lazy"
            decoding="async"
          />
        </picture>
      ))}
    </div>
  )
}
