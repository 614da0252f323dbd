import { readFileSync } from 'node:fs'
import path from 'node:path'
import { diagramName } from '../builder/diagram-name'

interface Drawing {
  /** What is written in it, for those who do not see it. */
  labels: string
  wide: [width: number, height: number]
  /** From left to right it would shrink on a narrow screen until nobody can read it: there it goes downwards. */
  narrow?: [width: number, height: number]
}

interface Node {
  type: string
  tagName?: string
  properties?: Record<string, unknown>
  children?: Node[]
}

/** Puts the drawings of builder/draw-diagrams.ts in the place of diagrams: no script draws them, and no page carries their text. */
export function drawnDiagrams({ baseUrl }: { baseUrl: string }) {
  const drawings: Readonly<Record<string, Drawing>> = JSON.parse(
    readFileSync(path.resolve(__dirname, 'diagrams.json'), 'utf8'),
  )
  const visit = (node: Node): void => {
    if (node.tagName === 'mermaid') {
      const text = String(node.properties?.['value'])
      const name = diagramName(text)
      const drawing = drawings[name]
      if (drawing === undefined) throw new Error(`A diagram is not drawn yet. Run npm run generate.\n${text}`)
      Object.assign(node, frame(`${baseUrl}diagrams/${name}`, drawing))
    } else node.children?.forEach(visit)
  }
  return visit
}

function frame(address: string, { labels, wide, narrow }: Drawing): Node {
  const pictures = ['light', 'dark'].map((mode) =>
    element('picture', { className: ['diagram__picture', `diagram__picture--${mode}`] }, [
      ...(narrow === undefined
        ? []
        : [
            element('source', {
              media: '(width <= 600px)',
              srcSet: `${address}-narrow-${mode}.svg`,
              width: narrow[0],
              height: narrow[1],
            }),
          ]),
      element('img', {
        src: `${address}-wide-${mode}.svg`,
        width: wide[0],
        height: wide[1],
        style: `--drawn: ${(narrow ?? wide)[0]}px`,
        alt: `Diagram with: ${labels}`,
        loading: 'lazy',
      }),
    ]),
  )
  return element('div', { className: ['diagram'], tabIndex: 0 }, pictures)
}

function element(tagName: string, properties: Record<string, unknown>, children: Node[] = []): Node {
  return { type: 'element', tagName, properties, children }
}
