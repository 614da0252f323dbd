import { invalid } from '@toolhaven/core/errors'
import type { EngineAddress } from './engine-client.ts'

const PLAIN_PORT = 2375
const TLS_PORT = 2376

/** Parses what DOCKER_HOST and Docker contexts contain: `unix://PATH`, `npipe:////./pipe/NAME`, `tcp://HOST[:PORT]`. */
export function parseEngineHost(text: string, tls?: { ca: string; cert: string; key: string }): EngineAddress {
  const [scheme, rest] = splitOnce(text.trim(), '://')
  if ((scheme === 'unix' || scheme === 'npipe') && rest !== '') return { kind: 'unix', path: rest }
  if ((scheme === 'tcp' || scheme === 'http' || scheme === 'https') && URL.canParse(`http://${rest}`)) {
    const { hostname, port } = new URL(`http://${rest}`)
    const fallback = tls === undefined ? PLAIN_PORT : TLS_PORT
    // The brackets are part of the text of an IPv6 address, not of the address.
    const host = hostname.replaceAll(/^\[|\]$/g, '')
    return { kind: 'tcp', host, port: port === '' ? fallback : Number(port), ...(tls === undefined ? {} : { tls }) }
  }
  if (scheme === 'ssh')
    throw invalid(`${text} is reached over ssh, which is not supported. Forward the engine's socket and give its path.`)
  throw invalid(`${JSON.stringify(text)} is not the address of an engine. Write unix:///PATH or tcp://HOST:PORT.`)
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + by.length)]
}
