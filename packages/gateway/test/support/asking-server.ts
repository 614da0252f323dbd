import type { Question } from './questions.ts'
import { question, type ScriptedProcess } from './scripted-auto.ts'
import type { Script } from './scripted-server.ts'

type Json = { [key: string]: unknown }

/**
 * A server that asks and logs during its calls and, if the call says so, after their answers and after it was told to
 * stop. Everything it sends names the client whose call caused it.
 */
export function askingServer({ say }: ScriptedProcess): Script {
  const waiting = new Map<string, (text: string) => void>()
  /** The answered calls that it will ask about during the next one. */
  const late: string[] = []
  let asked = 0
  const ask = (owner: string, kind: Question, call?: unknown) => {
    const id = `q${++asked}`
    say({ method: 'notifications/message', params: { level: 'error', data: `of ${owner}` } }, call)
    say(question(id, `of ${owner}`, kind), call)
    return new Promise<string>((resolve) => {
      waiting.set(id, resolve)
    })
  }
  const work = async (id: unknown, { owner, asks, isLate }: Work) => {
    const heard: string[] = []
    for (const kind of asks) heard.push(await ask(owner, kind, id))
    say({ id, result: { content: [{ type: 'text', text: `for ${owner}: ${heard.join()}` }] } })
    if (isLate) late.push(owner)
  }
  return (message) => {
    const { id, method } = message
    if (method === undefined) {
      waiting.get(String(id))?.(JSON.stringify(message['result'] ?? 'refused'))
      waiting.delete(String(id))
    }
    if (method !== 'tools/call' || !isObject(message['params'])) return undefined
    const { arguments: args } = message['params']
    for (const owner of late.splice(0)) void ask(owner, 'sampling')
    if (isWork(args)) void work(id, args)
    return undefined
  }
}

interface Work {
  owner: string
  asks: Question[]
  isLate: boolean
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

const isWork = (value: unknown): value is Work & Json => isObject(value) && typeof value['owner'] === 'string'
