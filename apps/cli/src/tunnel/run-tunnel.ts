import { ThvError, conflict, invalid } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { createPeerCheck } from '../daemon/peer-user.ts'
import { orUnknownWorkload } from '../lifecycle/or-unknown.ts'
import { stopSignal, untilStopped } from '../proxy/until-stopped.ts'
import { asksForToken } from './asks-for-token.ts'
import type { TunnelProvider } from './tunnel-provider.ts'

export interface TunnelOrder {
  target: string
  name: string | undefined
  provider: string
  providerArgs: string
  allowUnauthenticated: boolean
  format: string
}

/** Gives a workload or a server an address that others can reach, until the user stops it. */
export async function runTunnel(context: Context, order: TunnelOrder): Promise<void> {
  using signal = stopSignal(context.signal)
  const args = parseJson(order.providerArgs)
  const { url, name } = await targetOf(context, order)
  if (!order.allowUnauthenticated && !(await asksForToken(url, signal))) throw unprotected(order.target)
  const provider = await providerOf(context, order.provider)
  const tunnel = await provider.open({ name, target: new URL(url.origin), args }, signal)
  try {
    const address = `${tunnel.url}${url.pathname}${url.search}`
    if (order.format === 'json') context.out.json({ name, url: address, target: url.href, provider: order.provider })
    else context.out.line(`${name} is reachable at ${address}`)
    const lost = await Promise.race([tunnel.lost, untilStopped(signal)])
    if (lost !== undefined) throw conflict(`the tunnel was lost: ${lost}`)
  } finally {
    await tunnel.close()
  }
}

async function targetOf(context: Context, { target, name }: TunnelOrder): Promise<{ url: URL; name: string }> {
  if (/^https?:\/\//i.test(target)) {
    const url = URL.parse(target)
    if (!url || url.username !== '' || url.password !== '')
      throw invalid('the target must be the name of a workload, or a URL without a password')
    return { url, name: name ?? url.host }
  }
  const client = await context.daemon()
  const { url, status } = await orUnknownWorkload(client, [target], context.signal, () =>
    client.call('getWorkload', { params: { name: target } }, context.signal),
  )
  if (status !== 'running')
    throw conflict(`${target} is ${status}, not running\nStart it with "thv restart ${target}".`)
  return { url: new URL(url), name: name ?? target }
}

async function providerOf({ env, cwd }: Context, provider: string): Promise<TunnelProvider> {
  const allowPeer = createPeerCheck(process.platform, process.getuid?.() ?? 0)
  if (provider === 'local') return (await import('./local-provider.ts')).localProvider({ allowPeer })
  return (await import('./ngrok-provider.ts')).ngrokProvider({ env, cwd, allowPeer })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message would quote the text, which may contain a token.
    throw invalid('--provider-args must be a JSON object, such as \'{"url": "https://name.example.com"}\'')
  }
}

function unprotected(target: string): ThvError {
  return new ThvError(
    'forbidden',
    `${target} accepts every caller, and a tunnel would put it on the internet: anyone who finds the address could use its tools\n` +
      'Require a token first, with "thv run --oidc-issuer" or with "thv proxy --oidc-issuer" in front of it. To open the tunnel anyway, add --allow-unauthenticated.',
  )
}
