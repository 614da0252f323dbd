import { parseOutside } from '@toolhaven/contract/parse-outside'
import { conflict, invalid } from '@toolhaven/core/errors'
import type { DaemonConfig } from '@toolhaven/core/ports/stores'
import { type Document, isMap, LineCounter, parseDocument } from 'yaml'
import * as z from 'zod'

const FORMAT = 1

const text = z.string().min(1)

/** The schema of the file. Every key is optional, and an unknown key is an error. */
const configFile = z.strictObject({
  format: z.literal(FORMAT).exactOptional(),
  registry_url: text.exactOptional(),
  local_registry_path: text.exactOptional(),
  allow_private_registry_ip: z.boolean().exactOptional(),
  secrets: z
    .strictObject({ provider_type: z.enum(['encrypted', '1password', 'none', 'environment']).exactOptional() })
    .exactOptional(),
  ca_certificate_path: text.exactOptional(),
  api_port: z.int().min(1).max(65_535).exactOptional(),
  otel: z
    .strictObject({
      endpoint: text.exactOptional(),
      'sampling-rate': z.number().min(0).max(1).exactOptional(),
      'env-vars': z.array(text).exactOptional(),
    })
    .exactOptional(),
  allowed_hosts: z.array(text).exactOptional(),
  trusted_root_path: text.exactOptional(),
  base_images: z
    .strictObject({ npx: text.exactOptional(), uvx: text.exactOptional(), go: text.exactOptional() })
    .exactOptional(),
})

/** Parses the text of a configuration file; `where` is what errors call it. No text means every default. */
export function parseConfig(source: string, where: string): { config: DaemonConfig; document: Document } {
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const fault = document.errors[0]
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.pos[0])
    throw invalid(
      `${where} is not valid YAML: ${fault.message} (line ${line}, column ${col}); correct it, or move it away to use the defaults`,
    )
  }
  const value: unknown = document.toJS({ maxAliasCount: 100 }) ?? {}
  const version = z.object({ format: z.int().min(FORMAT + 1) }).safeParse(value)
  if (version.success) {
    throw conflict(
      `${where} was written for a newer version of Toolhaven (format ${version.data.format}): install that version, or move the file away`,
    )
  }
  const parsed = parseOutside(configFile, value)
  if (!parsed.success) throw invalid(describeFault(parsed.error, where))
  return { config: fromFile(parsed.data), document }
}

/** Writes the differences of the two into the document. Comments, order and everything else stay. */
export function applyConfig(document: Document, before: DaemonConfig, after: DaemonConfig): void {
  const old = new Map(settings(before).map(({ path, value }) => [path.join('.'), value]))
  if (!isMap(document.contents)) document.contents = document.createNode({})
  for (const { path, value } of settings(after)) {
    if (JSON.stringify(old.get(path.join('.'))) === JSON.stringify(value)) continue
    if (value !== undefined) document.setIn(path, value)
    else remove(document, path)
  }
  if (!document.has('format')) document.set('format', FORMAT)
}

function remove(document: Document, path: string[]): void {
  document.deleteIn(path)
  const above = path.slice(0, -1)
  if (above.length === 0) return
  const map = document.getIn(above)
  if (isMap(map) && map.items.length === 0) document.deleteIn(above)
}

function fromFile(file: z.infer<typeof configFile>): DaemonConfig {
  return withoutUndefined({
    registry: withoutUndefined({
      url: file.registry_url,
      localPath: file.local_registry_path,
      allowPrivateIp: file.allow_private_registry_ip,
    }),
    secrets: withoutUndefined({ providerType: file.secrets?.provider_type }),
    caCertificatePath: file.ca_certificate_path,
    apiPort: file.api_port,
    otel: withoutUndefined({
      endpoint: file.otel?.endpoint,
      samplingRate: file.otel?.['sampling-rate'],
      envVars: file.otel?.['env-vars'],
    }),
    allowedHosts: file.allowed_hosts ?? [],
    baseImages: file.base_images ?? {},
    trustedRootPath: file.trusted_root_path,
  })
}

/** Where each setting stands in the file. */
function settings(config: DaemonConfig): { path: string[]; value: unknown }[] {
  return [
    { path: ['registry_url'], value: config.registry.url },
    { path: ['local_registry_path'], value: config.registry.localPath },
    { path: ['allow_private_registry_ip'], value: config.registry.allowPrivateIp },
    { path: ['secrets', 'provider_type'], value: config.secrets.providerType },
    { path: ['ca_certificate_path'], value: config.caCertificatePath },
    { path: ['api_port'], value: config.apiPort },
    { path: ['otel', 'endpoint'], value: config.otel.endpoint },
    { path: ['otel', 'sampling-rate'], value: config.otel.samplingRate },
    { path: ['otel', 'env-vars'], value: config.otel.envVars },
    { path: ['allowed_hosts'], value: config.allowedHosts.length === 0 ? undefined : config.allowedHosts },
    { path: ['trusted_root_path'], value: config.trustedRootPath },
    { path: ['base_images', 'npx'], value: config.baseImages.npx },
    { path: ['base_images', 'uvx'], value: config.baseImages.uvx },
    { path: ['base_images', 'go'], value: config.baseImages.go },
  ]
}

type WithoutUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

function withoutUndefined<T extends object>(value: T): WithoutUndefined<T>
function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined))
}

function describeFault(error: z.ZodError, where: string): string {
  const issue = error.issues[0]
  const path = issue?.path.join('.') ?? ''
  if (issue?.code === 'unrecognized_keys') {
    const key = [...(path === '' ? [] : [path]), issue.keys[0]].join('.')
    return `${where} has an unknown key "${key}": correct or remove it`
  }
  return `${where}: ${path === '' ? 'the file' : `"${path}"`} is not right: ${issue?.message ?? 'unknown fault'}`
}
