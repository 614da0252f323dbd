import { ForeignText } from '../parts/ForeignText.tsx'
import { ContentView, ResourceView } from './ContentView.tsx'
import { contentOf, promptResult, readResult, resourceContents, toolResult, prettyValue } from './contents.ts'
import { LongText } from './LongText.tsx'
import type { Try } from './try-desk.ts'

/** More than a person reads, and less than makes a browser slow. */
const SHOWN = 200

/** What came back, by what was asked. */
export function TryResult({ tried: { id, kind, result } }: { tried: Try }) {
  const from = `result ${id}`
  if (result === undefined) return null
  if (kind === 'tool') return <ToolResult result={result} from={from} />
  if (kind === 'prompt') return <PromptResult result={result} from={from} />
  const { data } = readResult.safeParse(result)
  if (!data) return <LongText text={prettyValue(result)} label="Result" />
  return (
    <>
      {data.contents.slice(0, SHOWN).map((contents, at) => {
        const resource = resourceContents.safeParse(contents).data
        return resource ? (
          // oxlint-disable-next-line react/no-array-index-key -- parts of a result have no name but their place
          <ResourceView key={at} resource={resource} from={partOf(from, at)} />
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- as above
          <ContentView key={at} content={contentOf(contents)} from={partOf(from, at)} />
        )
      })}
      <Rest count={data.contents.length} what="parts" />
    </>
  )
}

function Rest({ count, what }: { count: number; what: string }) {
  if (count <= SHOWN) return null
  return (
    <p className="muted">
      These are the first {SHOWN} of {count.toLocaleString('en')} {what}. “As sent” has all of them.
    </p>
  )
}

function ToolResult({ result, from }: { result: unknown; from: string }) {
  const { data } = toolResult.safeParse(result)
  if (!data) return <LongText text={prettyValue(result)} label="Result" />
  const { content, structuredContent } = data
  return (
    <>
      {content.length === 0 && structuredContent === undefined && <p className="muted">The result is empty.</p>}
      {content.slice(0, SHOWN).map((each, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts of a result have no name but their place
        <ContentView key={at} content={contentOf(each)} from={partOf(from, at)} />
      ))}
      <Rest count={content.length} what="parts" />
      {structuredContent !== undefined && !isTold(content, structuredContent) && (
        <LongText text={prettyValue(structuredContent)} label="Structured result" />
      )}
    </>
  )
}

const MOST_COMPARED = 100_000

/** Servers give structured content as text as well, for clients that know no other. */
function isTold(content: readonly unknown[], structured: object): boolean {
  return content.some((each) => {
    const found = contentOf(each)
    if (found.type !== 'text' || found.text.length > MOST_COMPARED) return false
    try {
      return JSON.stringify(JSON.parse(found.text)) === JSON.stringify(structured)
    } catch {
      return false
    }
  })
}

function PromptResult({ result, from }: { result: unknown; from: string }) {
  const { data } = promptResult.safeParse(result)
  if (!data) return <LongText text={prettyValue(result)} label="Result" />
  return (
    <>
      {data.description !== undefined && (
        <p>
          <ForeignText text={data.description} />
        </p>
      )}
      {data.messages.slice(0, SHOWN).map(({ role, content }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- messages have no name but their place
        <div key={at} className="message">
          <h4>
            <ForeignText text={role} />
          </h4>
          <ContentView content={contentOf(content)} from={partOf(from, at)} />
        </div>
      ))}
      <Rest count={data.messages.length} what="messages" />
    </>
  )
}

/** Frames on one page are told apart by their names. */
const partOf = (from: string, at: number) => `${from}, part ${at + 1}`
