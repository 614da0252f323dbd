import { ForeignText } from '../parts/ForeignText.tsx'
import { OutsideLink } from '../parts/OutsideLink.tsx'
import { saveFile } from '../parts/save-file.ts'
import { bytesOf, type Content, dataAddress, prettyJson, prettyValue, type ResourceContents } from './contents.ts'
import { LongText } from './LongText.tsx'
import { quietPage } from './quiet-page.ts'

export interface ContentViewProps {
  content: Content
  /** What it came with, which tells it from others on the page. */
  from: string
}

/** One part of a result, by its kind. */
export function ContentView({ content, from }: ContentViewProps) {
  switch (content.type) {
    case 'text':
      return <LongText text={prettyJson(content.text)} label="Text" />
    case 'image':
    case 'audio':
      return <MediaView kind={content.type} data={content.data} mimeType={content.mimeType} />
    case 'resource':
      return <ResourceView resource={content.resource} from={from} />
    case 'resource_link':
      return (
        <p>
          Resource <ForeignText text={content.name ?? ''} /> <OutsideLink address={content.uri} />{' '}
          <ForeignText text={content.description ?? ''} />
        </p>
      )
    case 'unknown':
      return <LongText text={prettyValue(content.value)} label="Result of an unknown kind" />
    default:
      return content satisfies never
  }
}

export function ResourceView({ resource, from }: { resource: ResourceContents; from: string }) {
  const { uri, mimeType = '', text, blob } = resource
  return (
    <div className="message">
      <p className="muted">
        <OutsideLink address={uri} /> <ForeignText text={mimeType} />
      </p>
      {text !== undefined &&
        (/^text\/html\b/.test(mimeType) ? (
          <HtmlView html={text} from={from} />
        ) : (
          <LongText text={prettyJson(text)} label="Text" />
        ))}
      {blob !== undefined && <BlobView blob={blob} mimeType={mimeType} />}
    </div>
  )
}

function BlobView({ blob, mimeType }: { blob: string; mimeType: string }) {
  if (mimeType.startsWith('image/')) return <MediaView kind="image" data={blob} mimeType={mimeType} />
  if (mimeType.startsWith('audio/')) return <MediaView kind="audio" data={blob} mimeType={mimeType} />
  return <FileView data={blob} />
}

/** Pictures are loaded as pictures, in which no script of an SVG runs. */
function MediaView({ kind, data, mimeType }: { kind: 'image' | 'audio'; data: string; mimeType: string }) {
  const address = dataAddress(kind, data, mimeType)
  if (address === undefined)
    return (
      <p className="fault">
        This {kind} cannot be shown: it is <ForeignText text={mimeType || 'of an unknown kind'} />, or not Base64.
      </p>
    )
  return (
    <figure className="media">
      {kind === 'image' ? (
        <img src={address} alt={`Result of the kind ${mimeType}`} />
      ) : (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- a server gives none
        <audio src={address} controls aria-label={`Result of the kind ${mimeType}`} />
      )}
      <figcaption className="muted">
        <ForeignText text={mimeType} />
      </figcaption>
      <FileView data={data} />
    </figure>
  )
}

/** As bytes: whatever the server calls it, the browser must not open it as a page. */
function FileView({ data }: { data: string }) {
  const bytes = bytesOf(data)
  if (!bytes) return <p className="fault">This file cannot be saved: it is not Base64.</p>
  return (
    <p>
      <button type="button" className="small" onClick={() => saveFile('result', [bytes], 'application/octet-stream')}>
        Download
      </button>{' '}
      <span className="muted">{bytes.length.toLocaleString('en')} bytes</span>
    </p>
  )
}

/** Before anything of the server, as a second wall: neither this daemon nor another address learns that the frame is shown. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:">`

/** In a frame of its own origin, without scripts, forms, links and requests. */
function HtmlView({ html, from }: { html: string; from: string }) {
  return (
    <>
      <iframe
        className="html"
        title={`Page of the server, without scripts, ${from}`}
        sandbox=""
        referrerPolicy="no-referrer"
        srcDoc={POLICY + quietPage(html)}
      />
      <details>
        <summary>Source</summary>
        <LongText text={html} label="HTML as text" />
      </details>
    </>
  )
}
