import type { ImageServer } from '@toolhaven/contract/registry-document'
import type { NamedInput, ServerArgument, ServerPackage, ServerTransport } from '@toolhaven/contract/server-json'
import { excerpt } from '@toolhaven/contract/visible-text'
import { invalid } from '../../errors.ts'
import { parseUrl } from '../../net/parse-url.ts'
import { fillIn, isRequired } from './fill-in.ts'

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0'])

/** The transport and port of a package's server. The gateway calls it at the default path of its transport. */
export function localTransport(found: ServerPackage): Pick<ImageServer, 'transport' | 'target_port'> {
  const { type, url = '', headers } = found.transport
  if (type === 'stdio') return { transport: type }
  const transport = httpTransport(found.transport)
  const needed = (headers ?? []).find((header) => isRequired(header))
  if (needed) throw invalid(`its server needs the header ${excerpt(needed.name)}, which Toolhaven does not send`)
  const address = withKnownParts(url ?? '', found)
  const parsed = parseUrl(address)
  const path = transport === 'sse' ? '/sse' : '/mcp'
  if (!parsed || !LOOPBACK.has(parsed.hostname) || parsed.pathname.replace(/\/$/, '') !== path)
    throw invalid(`its server listens at ${excerpt(address)}, but Toolhaven calls it at http://localhost:PORT${path}`)
  return { transport, target_port: Number(parsed.port || (parsed.protocol === 'https:' ? 443 : 80)) }
}

export function httpTransport({ type }: ServerTransport): 'sse' | 'streamable-http' {
  if (type === 'sse' || type === 'streamable-http') return type
  throw invalid(`its transport is ${excerpt(type)}, but Toolhaven supports only stdio, sse and streamable-http`)
}

/** Parts in braces are replaced by values of the package's arguments or variables. */
function withKnownParts(url: string, { environmentVariables, packageArguments }: ServerPackage): string {
  const inputs: readonly (NamedInput | ServerArgument)[] = [
    ...(environmentVariables ?? []),
    ...(packageArguments ?? []),
  ]
  return url.replaceAll(/\{([^{}]+)\}/g, (whole, wanted: string) => {
    const isMeant = (input: NamedInput | ServerArgument) =>
      input.name === wanted ||
      ('type' in input && (input.valueHint === wanted || input.name?.replace(/^-+/, '') === wanted))
    const input = inputs.find(isMeant)
    const filledIn = input && fillIn(input)
    return filledIn?.missing.length === 0 ? filledIn.text : whole
  })
}
