import { ForeignText } from '../parts/ForeignText.tsx'
import { ContentView, ResourceView } from './ContentView.tsx'
import { contentOf, promptResult, readResult, resourceContents, toolResult } from './contents.ts'
import { LongText } from './LongText.tsx'
import type { Try } from './try-desk.ts'

/** What came back, by what was asked. */
export function TryResult({ tried: { id, kind, result } }: { tried: Try }) {
  const from = `result ${id}`
  if (result === undefined) return null
  if (kind === 'tool') return <ToolResult result={result} from={from} />
  if (kind === 'prompt') return <PromptResult result={result} from={from} />
  const { data } = readResult.safeParse(result)
  if (!data) return <LongText text={JSON.stringify(result, undefined, 2)} label="Result" />
  return data.contents.map((contents, at) => {
    const resource = resourceContents.safeParse(contents).data
    return resource ? (
      // oxlint-disable-next-line react/no-array-index-key -- parts of a result have no name but their place
      <ResourceView key={at} resource={resource} from={partOf(from, at)} />
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- as above
      <ContentView key={at} content={contentOf(contents)} from={partOf(from, at)} />
    )
  })
}

function ToolResult({ result, from }: { result: unknown; from: string }) {
  const { data } = toolResult.safeParse(result)
  if (!data) return <LongText text={JSON.stringify(result, undefined, 2)} label="Result" />
  const { content, structuredContent } = data
  return (
    <>
      {content.length === 0 && structuredContent === undefined && <p className="muted">The answer is empty.</p>}
      {content.map((each, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts of a result have no name but their place
        <ContentView key={at} content={contentOf(each)} from={partOf(from, at)} />
      ))}
      {structuredContent !== undefined && (
        <LongText text={JSON.stringify(structuredContent, undefined, 2)} label="Structured result" />
      )}
    </>
  )
}

function PromptResult({ result, from }: { result: unknown; from: string }) {
  const { data } = promptResult.safeParse(result)
  if (!data) return <LongText text={JSON.stringify(result, undefined, 2)} label="Result" />
  return (
    <>
      {data.description !== undefined && (
        <p>
          <ForeignText text={data.description} />
        </p>
      )}
      {data.messages.map(({ role, content }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- messages have no name but their place
        <div key={at} className="message">
          <h4>
            <ForeignText text={role} />
          </h4>
          <ContentView content={contentOf(content)} from={partOf(from, at)} />
        </div>
      ))}
    </>
  )
}

/** Frames on one page are told apart by their names. */
const partOf = (from: string, at: number) => `${from}, part ${at + 1}`
