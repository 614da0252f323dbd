import { parseOutside } from '@toolhaven/contract/parse-outside'
import { imageServer, remoteServer, serverKey } from '@toolhaven/contract/registry-document'
import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import type { ServerJson, ServerTransport } from '@toolhaven/contract/server-json'
import { excerpt } from '@toolhaven/contract/visible-text'
import type * as z from 'zod'
import { invalid, isThvError } from '../../errors.ts'
import { fillIn, namedInputOf } from './fill-in.ts'
import { httpTransport } from './local-transport.ts'
import { packageEntry } from './package-entry.ts'

export interface ServerFacts {
  /** What the registry says about the server, which is newer than the file. */
  status?: string | undefined
  /** Where the entry was taken from. */
  source?: string
}

/**
 * Translates a server.json into a registry entry: uses the first of its packages that can run here, otherwise the first of its
 * addresses. Throws `invalid` with the reasons if there is none. The file comes from outside, so it gets the same checks as any
 * registry.
 */
export function entryOfServer(server: ServerJson, facts: ServerFacts = {}): ImageServer | RemoteServer {
  const { packages, remotes } = server
  const common = commonFields(server, facts)
  const candidates = [
    ...inOrder(packages ?? [], ({ registryType }) => (registryType === 'oci' ? 1 : 0)).map(
      (found) => () => checked(imageServer, { ...common, ...packageEntry(found) }),
    ),
    ...inOrder(remotes ?? [], ({ type }) => (type === 'sse' ? 1 : 0)).map(
      (found) => () => checked(remoteServer, { ...common, ...remoteEntry(found) }),
    ),
  ]
  const reasons = new Set<string>()
  for (const candidate of candidates) {
    try {
      return candidate()
    } catch (error) {
      if (!isThvError(error)) throw error
      reasons.add(error.message)
    }
  }
  throw invalid(reasons.size > 0 ? excerpt([...reasons].join('; '), 300) : 'it names no package and no address')
}

function commonFields({ name, description, repository, ...said }: ServerJson, { status, source }: ServerFacts) {
  const key = parseOutside(serverKey, name)
  if (!key.success) throw invalid(`its name ${key.error.issues[0]?.message ?? 'cannot be used'}`)
  const address = repository?.url ?? ''
  return {
    ...{ name, description, tier: 'Community', tools: [] },
    status: (status ?? said.status) === 'deprecated' ? 'deprecated' : 'active',
    ...(/^https?:$/.test(URL.parse(address)?.protocol ?? '') && { repository_url: address }),
    ...(source !== undefined && { source }),
  } as const
}

/** Packages come before images, which need a container engine. Otherwise the publisher's order counts. */
function inOrder<T>(all: readonly T[], rank: (item: T) => number): T[] {
  return all.toSorted((a, b) => rank(a) - rank(b))
}

function remoteEntry(found: ServerTransport) {
  const { url, variables, headers } = found
  const transport = httpTransport(found)
  const address = fillIn({ value: url, variables })
  if (!address) throw invalid('its remote server has no address')
  if (address.missing.length > 0 || /[{}]/.test(address.text))
    throw invalid(
      `its address ${excerpt(address.text)} has parts that you must choose; run it with the complete address`,
    )
  return { url: address.text, transport, ...(headers?.length && { headers: headers.map(namedInputOf) }) }
}

function checked<Schema extends z.ZodType>(schema: Schema, entry: unknown): z.output<Schema> {
  const result = parseOutside(schema, entry)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw invalid(`${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'is wrong'}`)
}
