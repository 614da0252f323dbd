import type { DaemonSettings } from '@toolhaven/contract/system'
import { invalid } from '../errors.ts'
import { isCollector } from '../workloads/config/telemetry.ts'
import { checkImageReference } from '../workloads/config/image-reference.ts'
import type { Announce } from '../event-bus.ts'
import type { ConfigStore, DaemonConfig, Journal } from '../ports/stores.ts'

export interface SettingsDeps {
  config: ConfigStore
  journal: Journal
  /** PEM text of a certificate file. Throws `invalid` if it is missing or not PEM. */
  readCertificate: (path: string) => Promise<string>
  announce: Announce
}

export function getSettings({ config }: Pick<SettingsDeps, 'config'>): DaemonSettings {
  const { caCertificatePath, apiPort, otel, baseImages } = config.get()
  return {
    ...(caCertificatePath !== undefined && { ca_certificate_path: caCertificatePath }),
    ...(apiPort !== undefined && { api_port: apiPort }),
    otel: {
      ...(otel.endpoint !== undefined && { endpoint: otel.endpoint }),
      ...(otel.samplingRate !== undefined && { 'sampling-rate': otel.samplingRate }),
      ...(otel.envVars !== undefined && { 'env-vars': otel.envVars }),
    },
    base_images: baseImages,
  }
}

/** An omitted setting keeps its value; null clears it. */
export async function updateSettings(deps: SettingsDeps, change: DaemonSettings): Promise<DaemonSettings> {
  if (typeof change.ca_certificate_path === 'string') await deps.readCertificate(change.ca_certificate_path)
  const endpoint = change.otel?.endpoint
  if (endpoint?.includes('://'))
    throw invalid('otel.endpoint takes host:port, without a scheme, such as localhost:4318')
  if (typeof endpoint === 'string' && !isCollector(endpoint))
    throw invalid('otel.endpoint must be host:port of a collector, with an optional path, such as localhost:4318')
  for (const image of Object.values(change.base_images ?? {})) if (typeof image === 'string') checkImageReference(image)
  await deps.config.update((config) => applySettings(config, change))
  deps.announce({ about: 'settings' })
  await deps.journal.append({
    actor: 'api',
    action: 'update-settings',
    target: 'config',
    detail: { fields: Object.keys(change) },
  })
  return getSettings(deps)
}

function applySettings(config: DaemonConfig, change: DaemonSettings): DaemonConfig {
  const next: DaemonConfig = { ...config, otel: { ...config.otel }, baseImages: { ...config.baseImages } }
  assign(next, 'caCertificatePath', change.ca_certificate_path)
  assign(next, 'apiPort', change.api_port)
  assign(next.otel, 'endpoint', change.otel?.endpoint)
  assign(next.otel, 'samplingRate', change.otel?.['sampling-rate'])
  assign(next.otel, 'envVars', change.otel?.['env-vars'])
  assign(next.baseImages, 'npx', change.base_images?.npx)
  assign(next.baseImages, 'uvx', change.base_images?.uvx)
  assign(next.baseImages, 'go', change.base_images?.go)
  return next
}

function assign<T extends object, K extends keyof T>(target: T, key: K, value: T[K] | null | undefined): void {
  if (value === null) delete target[key]
  else if (value !== undefined) target[key] = value
}
