import { randomUUID } from 'node:crypto'
import type { AutoBackend } from '@toolhaven/core/ports/gateway'
import { NAME, never, type TestGateway } from './gateway.ts'
import { type Question, questionOf } from './questions.ts'
import { scriptedServer, type Script } from './scripted-server.ts'

type Json = { [key: string]: unknown }

/** One process of a workload in mode `auto`, seen from inside. */
export interface ScriptedProcess {
  heard: Json[]
  /** `call`: the id of the call that the message belongs to, for servers that can name it. */
  say: (message: Json, call?: unknown) => void
  isEnded: boolean
}

interface ScriptedAuto {
  /** In the order of their starts. */
  servers: ScriptedProcess[]
  /** Connects to the first process again, as another daemon would. */
  connectAgain: (change: Partial<AutoBackend>) => Promise<void>
}

/**
 * Each process is greeted and lists no tools. A call of the tool `end` is answered at once, others when the test says
 * so. `script` comes before that.
 */
export async function connectScriptedAuto(
  test: TestGateway,
  change: Partial<AutoBackend> = {},
  script: (server: ScriptedProcess) => Script = () => () => undefined,
): Promise<ScriptedAuto> {
  const servers: ScriptedProcess[] = []
  const another = () => {
    const scripted = scriptedServer((message) => own(message) ?? usual(message))
    const server: ScriptedProcess = { ...scripted, isEnded: false }
    const own = script(server)
    servers.push(server)
    const { channel } = scripted
    const end = async () => {
      server.isEnded = true
    }
    return {
      tag: `t${servers.length}`,
      server: { kind: 'stdio', channel, processId: randomUUID(), start: async () => {} } as const,
      end,
    }
  }
  const first = another()
  const backend: AutoBackend = {
    ...{ kind: 'auto', needsOwn: false, own: { maxSessions: 10, idleMs: 600_000 } },
    ...{ first: first.server, claimFirst: () => first.end, startAnother: async () => another() },
    ...change,
  }
  const connect = async (changed: Partial<AutoBackend>) => {
    await test.gateway.connect(NAME, { ...backend, ...changed }, never)
  }
  await connect({})
  return { servers, connectAgain: connect }
}

const CAPABILITIES = { tools: {}, logging: {} }

export const usual: Script = (message) => {
  const { id, method } = message
  if (method === 'server/discover') return { error: { code: -32_601, message: 'no' } }
  if (method === 'initialize')
    return {
      result: {
        protocolVersion: '2025-11-25',
        capabilities: CAPABILITIES,
        serverInfo: { name: 's', version: '1' },
      },
    }
  if (id === undefined || method === undefined) return undefined
  if (method === 'tools/list') return { result: { tools: [] } }
  const isHeld = method === 'tools/call' && !JSON.stringify(message).includes('"name":"end"')
  return isHeld ? undefined : { result: { content: [] } }
}

/** A question that names its subject. */
export const question = (id: string, text: string, kind: Question = 'sampling') => ({ id, ...questionOf(kind, text) })

/** The tool calls that the process got. */
export const callsOf = ({ heard }: ScriptedProcess) => heard.filter(({ method }) => method === 'tools/call')
