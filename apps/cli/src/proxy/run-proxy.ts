import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { invalid } from '@toolhaven/core/errors'
import { isNotReached } from '@toolhaven/core/net/not-reached'
import { createGateway } from '@toolhaven/gateway'
import { createOwnAddresses } from '@toolhaven/egress/own-addresses'
import { waitingLimits } from '@toolhaven/gateway/waiting-limits'
import type { Context } from '../context.ts'
import type { Output } from '../output/output.ts'
import { identityFetches } from '../daemon/lazy-fetch.ts'
import { createPeerCheck } from '../daemon/peer-user.ts'
import { pairsOf } from '../run/pairs.ts'
import { proxyAuthentication, readSecretFile } from './proxy-authentication.ts'
import type { ProxyFlags } from './proxy-flags.ts'
import { stopSignal, untilStopped } from './until-stopped.ts'

const DRAIN_MS = 5_000

/** Serves one MCP server at its own address until the user stops it. */
export async function runProxy(context: Context, name: string, flags: ProxyFlags): Promise<void> {
  using signal = stopSignal(context.signal)
  const { out } = context
  const target = targetOf(name, flags)
  const authentication = await proxyAuthentication(context, flags)
  const isLoopback = ['127.0.0.1', '::1', 'localhost'].includes(flags.host)
  if (!isLoopback && authentication === undefined)
    throw invalid(
      `--host ${flags.host} would let everybody on the network use the server\nRequire a token with --oidc-issuer, or listen on 127.0.0.1.`,
    )
  const headers = await targetHeaders(context, flags)
  const gateway = gatewayOf(context, flags)
  const port = flags.port === 0 ? await freePort(flags.host) : flags.port
  const host = flags.host.includes(':') ? `[${flags.host}]` : flags.host.replace('localhost', '127.0.0.1')
  const { transport, url } = target
  const proxyMode = 'streamable-http'
  try {
    await gateway.open({
      name,
      host: flags.host,
      port,
      transport,
      proxyMode,
      ...(authentication && { authentication }),
    })
    const backend = { kind: 'http', transport, url, headers, isRemote: true, processId: url } as const
    await untilReached(out, url, () => gateway.connect(name, backend, signal), signal)
    const address = `http://${host}:${port}/mcp`
    const isAuthenticated = authentication !== undefined
    if (flags.format === 'json') out.json({ name, url: address, target: url, authenticated: isAuthenticated })
    else out.line(`${name} listens at ${address}${isAuthenticated ? ', for callers with a token' : ''}`)
    await untilStopped(signal)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await gateway.shutdown(DRAIN_MS)
  }
}

const RETRY_MS = 2_000

/** Waits for a server that is not listening yet. Waiting does not help where a server answers with an error. */
async function untilReached(
  out: Output,
  url: string,
  connect: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  for (let isTold = false; ; isTold = true) {
    out.transient(`waiting for ${url} to answer`)
    try {
      await connect()
      return
    } catch (error) {
      if (signal.aborted || !(error instanceof Error) || !isNotReached(error.cause)) throw error
      if (!isTold)
        out.note(`${error.message} Trying again until it answers. Check --target-uri, or press Ctrl-C to stop.`)
    } finally {
      out.transient('')
    }
    await pause(RETRY_MS, undefined, { signal })
  }
}

function targetOf(
  name: string,
  { targetUri, transport }: ProxyFlags,
): { url: string; transport: 'sse' | 'streamable-http' } {
  if (targetUri === undefined)
    throw invalid(
      `--target-uri is missing\n${name} is the name of the new proxy. Pass the URL of its server with --target-uri URL`,
    )
  const url = URL.parse(targetUri)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw invalid('--target-uri must be an http or https address')
  if (url.username !== '' || url.password !== '')
    throw invalid(
      '--target-uri must not contain a password\nSend it with --target-header-secret or --target-bearer-file.',
    )
  const isSse = transport === 'sse' || (transport === undefined && url.pathname.endsWith('/sse'))
  if (url.pathname === '/') url.pathname = isSse ? '/sse' : '/mcp'
  return { url: url.href, transport: isSse ? 'sse' : 'streamable-http' }
}

async function targetHeaders(context: Context, flags: ProxyFlags): Promise<Record<string, string>> {
  const headers = pairsOf('--target-header', flags.targetHeader)
  const fromSecrets = Object.entries(pairsOf('--target-header-secret', flags.targetHeaderSecret))
  if (fromSecrets.length > 0) {
    const client = await context.daemon()
    for (const [header, key] of fromSecrets)
      headers[header] = (await client.call('readSecret', { params: { key } }, context.signal)).value
  }
  const { targetBearerFile: file } = flags
  if (file !== undefined) headers['authorization'] = `Bearer ${await readSecretFile(context.cwd, file)}`
  return headers
}

/** Every attempt of every client reports the lost server again, so repeats are dropped for this long. */
const QUIET_MS = 30_000

function gatewayOf({ out, env }: Context, flags: ProxyFlags) {
  const resource = flags.resourceUrl === undefined ? undefined : URL.parse(flags.resourceUrl)
  const hosts = [...flags.allowHost, ...(resource ? [resource.host] : []), flags.host]
  const tell = (message: string, fields?: object) =>
    out.note(`${message}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`)
  const quiet = () => {}
  let saidAt = 0
  const ownAddresses = createOwnAddresses()
  return createGateway({
    logger: { debug: quiet, info: quiet, warn: tell, error: tell },
    events: {
      onBackendLost: (_name, reason) => {
        if (Date.now() - saidAt < QUIET_MS) return
        saidAt = Date.now()
        out.note(`The server cannot be reached: ${reason}`)
      },
      onOutput: quiet,
      onLoginNeeded: quiet,
      onLoggedIn: quiet,
    },
    waiting: waitingLimits(),
    allowPeer: createPeerCheck(process.platform, process.getuid?.() ?? 0),
    allowedHosts: () => hosts,
    ownAddresses,
    identityFetch: identityFetches(env, ownAddresses),
  })
}

async function freePort(host: string): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return address.port
}
