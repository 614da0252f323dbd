import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import type { RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { headerSecret } from '../config/generated-secrets.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

const SENSITIVE = /^(authorization|proxy-authorization|cookie|x-api-key|api-key)$|token|secret|password/i

/** Moves header values that are keys to the secret store. The configuration keeps only their names. */
export async function hideHeaderSecrets(
  deps: Pick<WorkloadsDeps, 'storeSecret'>,
  config: RunConfig,
  entry: ImageServer | RemoteServer | undefined,
): Promise<RunConfig> {
  const { headers = {}, ...rest } = config.remote_auth_config ?? {}
  const listed = new Map(
    (entry && 'headers' in entry ? (entry.headers ?? []) : []).map((each) => [each.name.toLowerCase(), each]),
  )
  // A value that the registry publishes is not a secret, whatever its name is.
  const isSecret = (header: string, value: string) => {
    const known = listed.get(header.toLowerCase())
    return known?.default !== value && (SENSITIVE.test(header) || known?.secret === true)
  }
  const toHide = Object.entries(headers).filter(([header, value]) => isSecret(header, value))
  if (toHide.length === 0) return config
  const fromSecrets: Record<string, string> = { ...rest.headers_from_secrets }
  for (const [header, value] of toHide) {
    const key = headerSecret(config.name, header)
    await deps.storeSecret(key, value)
    fromSecrets[header] = key
  }
  const clear = Object.fromEntries(Object.entries(headers).filter(([header, value]) => !isSecret(header, value)))
  return { ...config, remote_auth_config: { ...rest, headers: clear, headers_from_secrets: fromSecrets } }
}

/** The request, without the values that went to the secret store. */
export function withoutHeaderSecrets(asked: CreateRequest, config: RunConfig): CreateRequest {
  if (!asked.headers) return asked
  return { ...asked, headers: config.remote_auth_config?.headers ?? {} }
}

/** The headers for which `headers` has no value. */
export function withoutGiven(
  fromSecrets: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> | null = {},
): Record<string, string> {
  const given = new Set(Object.keys(headers ?? {}).map((header) => header.toLowerCase()))
  return Object.fromEntries(Object.entries(fromSecrets).filter(([header]) => !given.has(header.toLowerCase())))
}
