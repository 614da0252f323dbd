import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

interface Asked {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** A program whose connections can end without notice. */
export class RawClient {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #origin: string
  #isGone = false

  constructor(url: string) {
    this.#origin = new URL(url).origin
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** The answer, as soon as its head is there. */
  open({ method = 'GET', path, headers = {}, body }: Asked): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const asked = httpRequest(new URL(path, this.#origin), { method, headers, agent: this.#agent })
      asked.once('error', reject)
      asked.once('response', (response) => {
        // Whoever reads it notices what breaks from now on.
        response.on('error', () => undefined)
        resolve(response)
      })
      asked.end(body)
    })
  }

  async ask(asked: Asked): Promise<{ response: IncomingMessage; body: string }> {
    const response = await this.open(asked)
    return { response, body: await text(response) }
  }

  /** As when its machine loses power, except that the system resets its connections. */
  vanish(): void {
    this.#isGone = true
    this.#agent.destroy()
  }
}
