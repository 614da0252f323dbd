import { Client, SSEClientTransport, StreamableHTTPClientTransport, type Tool } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import type { DoctorCheck } from '@toolhaven/contract/doctor'
import { describeError } from '@toolhaven/core/errors'
import { VERSION } from '../version.ts'

export interface ServerProbe {
  checks: DoctorCheck[]
  protocolVersion?: string
  tools?: number
  tokens?: number
}

const TIMEOUT_MS = 30_000

/** The protocol revisions that present clients use. */
const CURRENT = new Set(['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])

/** Connects to a workload as a client would, with the SDK that clients use. */
export async function probeServer(name: string, url: string, signal: AbortSignal): Promise<ServerProbe> {
  const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]), timeout: TIMEOUT_MS }
  const client = new Client({ name: 'thv-doctor', version: VERSION }, { listMaxPages: 0 })
  const address = new URL(url)
  const transport =
    address.pathname === '/sse' ? new SSEClientTransport(address) : new StreamableHTTPClientTransport(address)
  const fix = `thv logs ${name}`
  try {
    await client.connect(transport, options)
  } catch (error) {
    return {
      checks: [
        { check: 'initialize', status: 'failed', found: `a client cannot connect: ${describeError(error)}`, fix },
      ],
    }
  }
  try {
    const protocolVersion = client.getNegotiatedProtocolVersion() ?? 'unknown'
    const server = client.getServerVersion()
    const checks: DoctorCheck[] = [
      { check: 'initialize', status: 'ok', found: `${server?.name ?? 'a server'} ${server?.version ?? ''}`.trim() },
      protocolCheck(protocolVersion),
      await pingCheck(() => client.ping(options), fix),
    ]
    if (!client.getServerCapabilities()?.tools) {
      return {
        checks: [...checks, { check: 'tools', status: 'info', found: 'it offers no tools' }],
        protocolVersion,
        tools: 0,
        tokens: 0,
      }
    }
    const listed = await client.listTools(undefined, options).catch((error: unknown) => describeError(error))
    if (typeof listed === 'string')
      return {
        checks: [
          ...checks,
          { check: 'tools', status: 'failed', found: `tools/list is not answered as it should be: ${listed}`, fix },
        ],
        protocolVersion,
      }
    const { tools } = listed
    const tokens = estimateTokens(tools)
    return {
      checks: [...checks, toolsCheck(tools), weightCheck(name, tools, tokens)],
      protocolVersion,
      tools: tools.length,
      tokens,
    }
  } finally {
    if ('terminateSession' in transport) await transport.terminateSession().catch(() => undefined)
    await client.close()
  }
}

function protocolCheck(version: string): DoctorCheck {
  if (CURRENT.has(version)) return { check: 'protocol', status: 'ok', found: version }
  return {
    check: 'protocol',
    status: 'warning',
    found: `${version} is an old revision of the protocol`,
    fix: 'look for a newer version of the server: thv search',
  }
}

async function pingCheck(ping: () => Promise<unknown>, fix: string): Promise<DoctorCheck> {
  try {
    await ping()
    return { check: 'ping', status: 'ok', found: 'answered' }
  } catch (error) {
    return { check: 'ping', status: 'failed', found: `not answered: ${describeError(error)}`, fix }
  }
}

/** Checks names, descriptions and schemas as clients need them. */
export function toolsCheck(tools: readonly Tool[]): DoctorCheck {
  const validator = new AjvJsonSchemaValidator()
  const names = tools.map(({ name }) => name)
  const faults = tools.flatMap(({ name, inputSchema, outputSchema }) => [
    ...(names.indexOf(name) === names.lastIndexOf(name) ? [] : [`${name} appears twice`]),
    ...(/^[A-Za-z0-9_.-]{1,128}$/.test(name)
      ? []
      : [`${JSON.stringify(name.slice(0, 40))} is not a name that clients accept`]),
    ...schemaFault(validator, `${name}: its input schema`, inputSchema),
    ...(outputSchema ? schemaFault(validator, `${name}: its output schema`, outputSchema) : []),
  ])
  if (faults.length > 0)
    return {
      check: 'tools',
      status: 'failed',
      found: [...new Set(faults)].join('; '),
      fix: 'tell the authors of the server, or leave those tools out with thv run --tools',
    }
  const silent = tools.filter(({ description }) => !description?.trim()).map(({ name }) => name)
  if (silent.length > 0)
    return {
      check: 'tools',
      status: 'warning',
      found: `${tools.length}; no description: ${silent.join(', ')}`,
      fix: 'a model cannot tell what they do; leave them out with thv run --tools',
    }
  return { check: 'tools', status: 'ok', found: `${tools.length}, all with a description and a valid schema` }
}

function schemaFault(validator: AjvJsonSchemaValidator, what: string, schema: object): string[] {
  try {
    validator.getValidator(Object.fromEntries(Object.entries(schema)))
    return []
  } catch (error) {
    return [`${what} is not valid (${describeError(error).slice(0, 200)})`]
  }
}

/** Four characters of compact JSON are about one token. The exact number depends on the model. */
export function estimateTokens(tools: readonly Tool[]): number {
  const sent = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return sent.length === 0 ? 0 : Math.ceil(JSON.stringify(sent).length / 4)
}

const HEAVY_TOKENS = 10_000

export function weightCheck(name: string, tools: readonly Tool[], tokens: number): DoctorCheck {
  const found = `about ${tokens} tokens in every conversation (estimated: characters of the definitions / 4)`
  if (tokens <= HEAVY_TOKENS) return { check: 'token-weight', status: 'ok', found }
  const few = tools
    .slice(0, 2)
    .map((tool) => tool.name)
    .join(',')
  return {
    check: 'token-weight',
    status: 'warning',
    found,
    fix: `run ${name} with the tools you need only: thv run … --name ${name} --tools ${few}`,
  }
}
