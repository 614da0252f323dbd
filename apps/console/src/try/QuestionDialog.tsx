import '../css/palette.css'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'
import { OutsideLink } from '../parts/OutsideLink.tsx'
import { TextField } from '../run/TextField.tsx'
import { findFaults } from '../schema/find-faults.ts'
import { initialArguments } from '../schema/initial-value.ts'
import { SchemaForm } from '../schema/SchemaForm.tsx'
import { ContentView } from './ContentView.tsx'
import type { JsonObject } from './mcp-messages.ts'
import { ANSWERS, elicitation, partsOf, sampling } from './questions.ts'
import type { AskedQuestion } from './try-desk.ts'

interface QuestionProps {
  server: string
  asked: AskedQuestion
}

/** What a server asks in the middle of a call. A person answers, or does not. */
export function QuestionDialog({ server, asked }: QuestionProps) {
  if (asked.question.method === 'sampling/createMessage') return <SamplingDialog server={server} asked={asked} />
  const { mode, url } = elicitation.parse(asked.question.params)
  return mode === 'url' && url !== undefined ? (
    <AddressDialog server={server} asked={asked} />
  ) : (
    <FormDialog server={server} asked={asked} />
  )
}

function FormDialog({ server, asked: { question, answer, cancelCalls } }: QuestionProps) {
  const { message, requestedSchema: schema } = elicitation.parse(question.params)
  const [content, setContent] = useState<JsonObject>(() => initialArguments(schema))
  const [isChecked, setIsChecked] = useState(false)
  const faults = findFaults({ type: 'object', ...schema }, content, schema)
  const submit = () => {
    setIsChecked(true)
    if (faults.length === 0) answer(ANSWERS.accept(content))
  }
  return (
    <Sheet
      title={`${server} asks you`}
      onLeave={() => answer(ANSWERS.cancel())}
      onDecline={() => answer(ANSWERS.decline())}
      onCancel={cancelCalls}
      onSubmit={submit}
    >
      <Said text={message} />
      <p className="muted">The server gets what you answer. Give it no password and no key.</p>
      <SchemaForm schema={schema} value={content} onChange={setContent} faults={isChecked ? faults : []} />
    </Sheet>
  )
}

function AddressDialog({ server, asked: { question, answer, cancelCalls } }: QuestionProps) {
  const { message, url = '' } = elicitation.parse(question.params)
  const host = URL.canParse(url) ? new URL(url).host : ''
  return (
    <Sheet
      title={`${server} asks you to open a page`}
      accept="I have done it"
      onLeave={() => answer(ANSWERS.cancel())}
      onDecline={() => answer(ANSWERS.decline())}
      onCancel={cancelCalls}
      onSubmit={() => answer(ANSWERS.accept())}
    >
      <Said text={message} />
      <p>
        <OutsideLink address={url} />
      </p>
      {host !== '' && (
        <p className="muted">
          It leads to <ForeignText text={host} />. Open it only if you trust that host.
        </p>
      )}
    </Sheet>
  )
}

function SamplingDialog({ server, asked: { question, answer, cancelCalls } }: QuestionProps) {
  const { systemPrompt, maxTokens, messages } = sampling.parse(question.params)
  const [said, setSaid] = useState('')
  return (
    <Sheet
      title={`${server} asks for an answer of a model`}
      onLeave={() => answer(ANSWERS.notSampled())}
      onDecline={() => answer(ANSWERS.notSampled())}
      onCancel={cancelCalls}
      onSubmit={() => answer(ANSWERS.sampled(said))}
    >
      <p className="muted">
        There is no model here: what you write is the answer.
        {maxTokens !== undefined && ` The server wants at most ${maxTokens} tokens.`}
      </p>
      {systemPrompt !== undefined && (
        <div className="message">
          <h3>system</h3>
          <ContentView content={{ type: 'text', text: systemPrompt }} from="question" />
        </div>
      )}
      {messages.map(({ role, content }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- messages have no name but their place
        <div key={at} className="message">
          <h3>
            <ForeignText text={role} />
          </h3>
          {partsOf(content).map((part, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- as above
            <ContentView key={place} content={part} from="question" />
          ))}
        </div>
      ))}
      <TextField label="Your answer" value={said} rows={4} isRequired onChange={setSaid} />
    </Sheet>
  )
}

function Said({ text }: { text: string }) {
  return (
    <p className="said">
      <ForeignText text={text} />
    </p>
  )
}

interface SheetProps {
  title: string
  /** What the button says that sends the answer. */
  accept?: string
  /** Escape. */
  onLeave: () => void
  onDecline: () => void
  /** Ends the calls that the server may ask for. */
  onCancel: () => void
  onSubmit: () => void
  children: ReactNode
}

/** Stays until it is answered: a click beside it is not an answer. */
function Sheet({ title, accept = 'Answer', onLeave, onDecline, onCancel, onSubmit, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const before = document.activeElement
    const shown = dialog.current
    if (shown?.open === false) shown.showModal()
    // It comes when nobody expects it: a key that was meant for the page must not answer it.
    heading.current?.focus()
    // A dialog that is taken away gives the focus to nobody.
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <dialog ref={dialog} className="sheet question" aria-label={title} onClose={onLeave}>
      <form className="sheet-content" noValidate onSubmit={submit}>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {children}
        <div className="actions">
          <button type="submit" className="primary">
            {accept}
          </button>
          <button type="button" onClick={onDecline}>
            Decline
          </button>
        </div>
        <button type="button" className="small" onClick={onCancel}>
          Cancel the call
        </button>
      </form>
    </dialog>
  )
}
