import { parseOutside } from '@toolhaven/contract/parse-outside'
import type { ServerDefinition } from '@toolhaven/core/ports/foreign-entries'
import * as z from 'zod'
import { bridgedUrl } from '../clients/entry-form.ts'

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String)

const entry = z.looseObject({
  /** In some files with its arguments. */
  command: z.union([z.string().min(1), z.array(text).nonempty()]).optional(),
  cmd: z.string().min(1).optional(),
  args: z.array(text).optional(),
  env: z.record(z.string(), text).nullish(),
  envs: z.record(z.string(), text).nullish(),
  environment: z.record(z.string(), text).nullish(),
  env_keys: z.array(text).nullish(),
  url: z.string().min(1).optional(),
  serverUrl: z.string().min(1).optional(),
  httpUrl: z.string().min(1).optional(),
  uri: z.string().min(1).optional(),
  type: z.string().optional(),
  transport: z.string().optional(),
  headers: z.record(z.string(), text).nullish(),
  http_headers: z.record(z.string(), text).nullish(),
  env_http_headers: z.record(z.string(), text).nullish(),
  bearer_token_env_var: z.string().optional(),
  requestOptions: z.looseObject({ headers: z.record(z.string(), text).nullish() }).nullish(),
  socket: z.string().nullish(),
  disabled: z.boolean().optional(),
  enabled: z.boolean().optional(),
  cwd: z.string().optional(),
  envFile: z.string().optional(),
})

/** The fields about the server itself. All other fields of an entry concern the client. */
export const SERVER_FIELDS: ReadonlySet<string> = new Set([
  ...['command', 'args', 'env', 'url', 'serverUrl', 'httpUrl', 'type', 'transport', 'headers', 'cwd', 'envFile'],
  ...['http_headers', 'env_http_headers', 'bearer_token_env_var'],
  ...['cmd', 'uri', 'envs', 'environment', 'env_keys', 'requestOptions', 'socket'],
])

/** The server of an entry in a client's file, in one form for all clients. */
export function serverDefinition(key: string, value: unknown): ServerDefinition {
  const parsed = parseOutside(z.record(z.string(), entry), { [key]: value })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const field = issue?.path.slice(1).join('.') || 'it'
    const why = issue?.code === 'custom' ? `${field}: ${issue.message}` : `${field} is not as expected`
    const fault = `its entry cannot be understood (${why})`
    return { args: [], env: {}, headers: {}, isDisabled: false, unsupported: [], fault }
  }
  const { args: own = [], disabled, enabled, cwd, envFile, requestOptions, ...rest } = parsed.data[key] ?? {}
  const [command, ...joined] = [rest.command ?? rest.cmd ?? []].flat()
  const args = [...joined, ...own]
  const bridged = bridgedUrl(args)
  const url = bridged ?? rest.httpUrl ?? rest.url ?? rest.serverUrl ?? rest.uri
  // "remote" says nothing of the transport.
  const type = rest.type === 'remote' ? undefined : (rest.type ?? rest.transport)
  return {
    ...(command !== undefined && bridged === undefined && { command }),
    args: bridged === undefined ? args : [],
    env: rest.env ?? rest.envs ?? rest.environment ?? {},
    ...(url !== undefined && { url }),
    ...(type !== undefined && { type }),
    headers: rest.headers ?? rest.http_headers ?? requestOptions?.headers ?? {},
    isDisabled: disabled === true || enabled === false,
    unsupported: [
      ...(cwd ? ['cwd'] : []),
      ...(envFile ? ['envFile'] : []),
      ...(rest.env_http_headers ? ['env_http_headers'] : []),
      ...(rest.bearer_token_env_var ? ['bearer_token_env_var'] : []),
      // Values that only the client has.
      ...(rest.env_keys?.length ? ['env_keys'] : []),
      ...(rest.socket ? ['socket'] : []),
      ...(Object.keys(requestOptions ?? {}).some((option) => option !== 'headers') ? ['requestOptions'] : []),
    ],
  }
}
