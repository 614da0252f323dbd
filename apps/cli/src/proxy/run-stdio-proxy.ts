import type { Workload } from '@toolhaven/contract/workloads'
import { conflict, notFound } from '@toolhaven/core/errors'
import { LineSplitter } from '@toolhaven/gateway/line-splitter'
import { errorText, parseJson, RPC_ERROR, toMessage } from '@toolhaven/gateway/json-rpc'
import { DEFAULT_LIMITS } from '@toolhaven/gateway/options'
import type { Context } from '../context.ts'
import { orUnknownWorkload } from '../lifecycle/or-unknown.ts'
import { readSecretFile } from './proxy-authentication.ts'
import { StdioBridge } from './stdio-bridge.ts'
import { stopSignal, untilStopped } from './until-stopped.ts'

const DRAIN_MS = 10_000
const PATIENCE_MS = 30_000

/** Bridges a workload to stdin and stdout until stdin ends. Only MCP messages are written to stdout. */
export async function runStdioProxy(context: Context, name: string, tokenFile: string | undefined): Promise<void> {
  using signal = stopSignal(context.signal)
  const locate = async () => {
    const headers = tokenFile === undefined ? undefined : await readSecretFile(context.cwd, tokenFile)
    return {
      url: await endpointOf(context, name),
      headers: headers === undefined ? {} : { authorization: `Bearer ${headers}` },
    }
  }
  // Before the first message, so that a wrong name is reported at once.
  await locate()
  const write = (line: string) => void process.stdout.write(`${line}\n`)
  const { maxMessageBytes } = DEFAULT_LIMITS
  const bridge = new StdioBridge({ locate, write, maxMessageBytes, patienceMs: PATIENCE_MS })
  const lines = new LineSplitter({
    maxBytes: maxMessageBytes,
    onLine: (line) => receive(bridge, line, write),
    onOversize: () => write(errorText(null, RPC_ERROR.invalidRequest, 'The message is too large.')),
  })
  process.stdin.on('data', (chunk: Buffer) => lines.push(chunk))
  const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve).once('close', resolve))
  await Promise.race([ended, untilStopped(signal)])
  lines.end()
  process.stdin.destroy()
  await bridge.end(signal.aborted ? 0 : DRAIN_MS)
}

function receive(bridge: StdioBridge, line: string, write: (line: string) => void): void {
  if (line.trim() === '') return
  const json = parseJson(line)
  if (json === undefined) return write(errorText(null, RPC_ERROR.parse, 'Parse error: the line is not JSON.'))
  // Revision 2025-03-26 allows batches on one line. Each message gets its own response.
  for (const value of Array.isArray(json.value) ? json.value : [json.value]) {
    const message = toMessage(value, Array.isArray(json.value) ? JSON.stringify(value) : line)
    if (message === undefined) write(errorText(null, RPC_ERROR.invalidRequest, 'Not a JSON-RPC 2.0 message.'))
    else bridge.receive(message)
  }
}

/** Every workload has a streamable HTTP address, whichever transport its clients use. */
async function endpointOf(context: Context, nameOrAddress: string): Promise<string> {
  const { name, url, status } = await workloadOf(context, nameOrAddress)
  if (status === 'stopped' || status === 'stopping' || status === 'removing')
    throw conflict(`${name} is ${status}\nStart it with "thv restart ${name}".`)
  return new URL('/mcp', url).href
}

/** Entries in client files name the workload by its address, not by its name. */
async function workloadOf({ daemon, signal }: Context, nameOrAddress: string): Promise<Workload> {
  const client = await daemon()
  if (!/^https?:\/\//i.test(nameOrAddress))
    return orUnknownWorkload(client, [nameOrAddress], signal, () =>
      client.call('getWorkload', { params: { name: nameOrAddress } }, signal),
    )
  const { workloads } = await client.call('listWorkloads', { query: { all: true } }, signal)
  const origin = URL.parse(nameOrAddress)?.origin
  const found = workloads.find(({ url }) => new URL(url).origin === origin)
  if (found === undefined) throw notFound(`no workload has the address ${nameOrAddress}\n"thv list --all" lists them.`)
  return found
}
