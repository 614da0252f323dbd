type Json = { [key: string]: unknown }

export interface TestEvent {
  id: string | undefined
  retry: string | undefined
  data: string
}

/** The events of a stream as they arrive, without comments. */
export async function* eventsOf(response: Response): AsyncGenerator<TestEvent> {
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end)
      text = text.slice(end + 2)
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(event)?.[1]
      const data = field('data')
      if (data !== undefined) yield { id: field('id'), retry: field('retry'), data }
    }
  }
}

/** The messages among them: an event without data only gives its client an id to come back with. */
export async function* messagesOf(response: Response): AsyncGenerator<Json> {
  for await (const { data } of eventsOf(response)) if (data !== '') yield JSON.parse(data)
}
