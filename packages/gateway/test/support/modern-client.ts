import * as z from 'zod'
import type { TestGateway } from './gateway.ts'
import { postModern } from './modern-post.ts'
import { answerTo } from './questions.ts'

const question = z.looseObject({ method: z.string(), params: z.unknown().optional() })
const answer = z.looseObject({
  result: z
    .looseObject({
      content: z.array(z.looseObject({ text: z.string() })).optional(),
      inputRequests: z.record(z.string(), question).optional(),
      requestState: z.string().optional(),
    })
    .optional(),
})

/** A stateless client that answers what servers ask. All of them describe themselves in the same way. */
export class RawModernClient {
  readonly name: string
  readonly questions: string[] = []
  readonly #test: TestGateway
  readonly #headers: Record<string, string>

  constructor(test: TestGateway, name: string, headers: Record<string, string> = {}) {
    this.#test = test
    this.name = name
    this.#headers = headers
  }

  /** The text of the answer, after as many requests as the server has questions. */
  sample(text: string): Promise<string> {
    return this.#call('sample', { text })
  }

  /** The same for a server that does what its call says. */
  call(args: { [key: string]: unknown }, signal: AbortSignal): Promise<string> {
    return this.#call('work', args, signal)
  }

  async #call(name: string, args: { [key: string]: unknown }, signal?: AbortSignal): Promise<string> {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { sampling: {}, elicitation: {}, roots: {} } }
    let more = {}
    for (;;) {
      const params = { name, arguments: args, ...more }
      const response = await postModern(this.#test, 'tools/call', params, { meta, signal, headers: this.#headers })
      const body: unknown = await response.json()
      const { result } = answer.parse(body)
      if (result?.inputRequests === undefined) return result?.content?.[0]?.text ?? JSON.stringify(body)
      const inputResponses = Object.fromEntries(
        Object.entries(result.inputRequests).map(([key, asked]) => [key, this.#answer(asked)]),
      )
      more = { inputResponses, requestState: result.requestState }
    }
  }

  #answer({ method, params }: z.infer<typeof question>): object {
    const { about, result } = answerTo(this.name, method, params)
    this.questions.push(about)
    return result
  }
}
