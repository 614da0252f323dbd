import * as z from 'zod'
import { headerMap, headerSecrets } from './access-config.ts'
import { envVarName, groupName, workloadName } from './names.ts'
import { ownFolder } from './own-folder.ts'
import { networkOutbound, permissionProfile } from './permission-profile.ts'
import { auditConfig, telemetryConfig } from './observation-config.ts'
import { oauthConfig } from './registry-document.ts'
import {
  ignoreConfig,
  imageVerification,
  installHosts,
  labelMap,
  networkMode,
  proxyMode,
  resourceLimits,
  secretParameter,
  sessionMode,
  toolsOverride,
  transportType,
  workloadLimits,
} from './run-config.ts'
import { serverJson } from './server-json.ts'
import { wellFormedText } from './text.ts'

export const oidcOptions = z
  .strictObject({
    issuer: z.string().optional().meta({ description: 'Provider that must have issued the token' }),
    audience: z.string().optional().meta({ description: 'Audience that a token must name' }),
    client_id: z.string().optional().meta({ description: 'Client ID for token introspection' }),
    client_secret: z
      .string()
      .optional()
      .meta({ description: 'Client secret for token introspection: its value, or the name of a stored secret' }),
    jwks_url: z
      .string()
      .optional()
      .meta({ description: 'Address of the keys that sign tokens (default: discovered from the issuer)' }),
    introspection_url: z
      .string()
      .optional()
      .meta({ description: 'Introspection endpoint, for tokens that are not signed' }),
    resource_url: z.string().optional().meta({
      description: 'URL at which clients reach the workload from outside (default: its own address). An extension',
    }),
    allow_private_ip: z
      .boolean()
      .optional()
      .meta({ description: 'The provider may be on this machine or its network, and use http. An extension' }),
  })
  .meta({ id: 'v1.oidcOptions', description: 'Who may call the workload' })
export type OidcOptions = z.infer<typeof oidcOptions>

export const oauthOptions = z
  .strictObject({
    ...oauthConfig.shape,
    client_secret: z
      .string()
      .optional()
      .meta({ description: 'Value, or name of a stored secret; kept in the secret store. An extension' }),
    allow_private_ip: z
      .boolean()
      .optional()
      .meta({ description: 'Addresses that the server names may be on this machine or its network. An extension' }),
  })
  .meta({ id: 'v1.oauthOptions', description: 'How Toolhaven logs in to a remote server' })
export type OauthOptions = z.infer<typeof oauthOptions>

/** An empty text means "the default": other clients of this API send it that way. */
const groupOrEmpty = z.string().superRefine((text, context) => {
  const faults = text === '' ? [] : (groupName.safeParse(text).error?.issues ?? [])
  for (const { message } of faults) context.addIssue({ code: 'custom', message })
})

/** On edit, 0 clears it, as an empty value does for other fields. */
const targetPort = (least: 0 | 1) =>
  z
    .int()
    .min(least)
    .max(65535)
    .meta({ description: 'Port on which the sse or streamable-http server listens inside the workload' })

/** The fields that create and edit share. */
const workloadFields = {
  image: z.string().meta({ description: 'Registry server, image reference, or npx://, uvx://, go:// package' }),
  host: z.string().meta({ description: 'Address that the port of the workload listens on (default: 127.0.0.1)' }),
  transport: z.enum(['', ...transportType.options]).meta({
    description:
      'How the server itself speaks MCP (default: what the registry says, else stdio, and streamable-http for a remote server)',
  }),
  proxy_mode: z
    .enum(['', ...proxyMode.options])
    .meta({ description: 'Transport that clients are told to use for a stdio server (default: streamable-http)' }),
  target_port: targetPort(0),
  cmd_arguments: z.array(wellFormedText).meta({ description: 'Arguments of the server' }),
  env_vars: z.record(envVarName, wellFormedText).meta({ description: 'Environment variables of the server' }),
  volumes: z.array(wellFormedText).meta({ description: '"host:container" with optional ":ro"' }),
  tools: z.array(wellFormedText.min(1)).meta({ description: 'Only these tools are listed and may be called' }),
  secrets: z
    .array(secretParameter)
    .meta({ description: 'Stored secrets that the server gets as environment variables' }),
  network_isolation: z.boolean().meta({
    description:
      'Every workload is isolated unless network_mode is host. true together with host is refused, and false changes nothing',
  }),
  authz_config: z.string().meta({
    description:
      'Which calls are allowed: JSON text of an authorization configuration, or its path below the configuration folder',
  }),
  permission_profile: permissionProfile.meta({
    description:
      'What the server may read, write and reach (default: what the registry says, else the built-in profile network: every public host, no files)',
  }),
  oidc: oidcOptions.meta({ description: 'Who may call the workload' }),
  group: groupOrEmpty.meta({ description: 'Group of the workload (default: default)' }),
}

/** Fields beyond the specification. */
const extensionFields = {
  url: z.string().meta({ description: 'Address of a remote MCP server, instead of image' }),
  folder: ownFolder.meta({ description: 'A folder of this machine with your own server, instead of image' }),
  oauth_config: oauthOptions.meta({ description: 'How Toolhaven logs in to a remote server' }),
  headers: headerMap.meta({
    description:
      'Headers sent to the remote server. Values that are keys go to the secret store, as headers_from_secrets',
  }),
  headers_from_secrets: headerSecrets,
  labels: labelMap.meta({ description: 'Labels of the workload, for your own use' }),
  audit_config: auditConfig.meta({ description: 'What the audit log records, and where' }),
  telemetry_config: telemetryConfig.meta({ description: 'Where traces and metrics go' }),
  ignore_config: ignoreConfig.meta({ description: 'Which files of a mount are hidden from the server' }),
  resources: resourceLimits.meta({ description: 'Memory, CPU and processes the server may use' }),
  limits: workloadLimits.meta({ description: 'Limits for the requests of clients' }),
  network_mode: networkMode,
  allow_hosts: networkOutbound.shape.allow_host
    .unwrap()
    .meta({ description: 'Hosts to add to allow_host of the permission profile in force' }),
  network_isolation_mode: z.enum(['enforce', 'observe']).meta({
    description:
      'enforce: the permission profile applies. observe: every public host is allowed, and its use is recorded. Default: enforce',
  }),
  session_mode: sessionMode,
  tools_override: toolsOverride,
  tools_changed: z.enum(['warn', 'block']).meta({
    description:
      'What happens when tools, prompts, resource templates or instructions differ from the accepted ones. warn: Toolhaven reports the changes. block: it also hides changes and additions from clients until you accept them. Default: warn',
  }),
  image_verification: imageVerification,
  install_hosts: installHosts,
  accept_network: z.boolean().meta({
    description:
      'Confirms that the registry entry, and the server for its login, may name private and loopback addresses; link-local and metadata addresses are always refused',
  }),
  accept_mounts: z.boolean().meta({
    description: 'Confirms the mounts, and privileged, that the permission profile of the registry entry asks for',
  }),
}

const requestFields = z.strictObject({ ...workloadFields, ...extensionFields })

export const createRequest = requestFields
  .partial()
  .extend({
    name: workloadName.optional().meta({ description: 'Name of the workload (default: derived from the image)' }),
    target_port: targetPort(1).optional(),
    proxy_port: z
      .int()
      .min(1)
      .max(65535)
      .optional()
      .meta({ description: 'Port that clients connect to (default: a free port)' }),
    server_json: serverJson.optional().meta({
      description: 'A server.json file of the MCP registry, instead of image. Its package or address is used',
    }),
  })
  .meta({
    id: 'v1.createRequest',
    description:
      'A workload to run: an image, the url of a remote server, a folder with your own server, or a server.json file',
    anyOf: [{ required: ['image'] }, { required: ['url'] }, { required: ['folder'] }, { required: ['server_json'] }],
  })
export type CreateRequest = z.infer<typeof createRequest>

/** Keeps the description on the field itself, where tables and viewers look for it. */
const nullable = <T extends z.ZodType>(schema: T) =>
  schema.nullable().optional().meta({ description: schema.description })

/** An omitted field keeps its value; null or an empty value clears it. */
export const updateRequest = z
  .strictObject({
    image: nullable(requestFields.shape.image),
    host: nullable(requestFields.shape.host),
    transport: nullable(requestFields.shape.transport),
    proxy_mode: nullable(requestFields.shape.proxy_mode),
    target_port: nullable(requestFields.shape.target_port),
    cmd_arguments: nullable(requestFields.shape.cmd_arguments),
    env_vars: nullable(requestFields.shape.env_vars),
    volumes: nullable(requestFields.shape.volumes),
    tools: nullable(requestFields.shape.tools),
    secrets: nullable(requestFields.shape.secrets),
    network_isolation: nullable(requestFields.shape.network_isolation),
    authz_config: nullable(requestFields.shape.authz_config),
    permission_profile: nullable(requestFields.shape.permission_profile),
    oidc: nullable(requestFields.shape.oidc),
    group: nullable(requestFields.shape.group),
    url: nullable(requestFields.shape.url),
    folder: nullable(requestFields.shape.folder),
    oauth_config: nullable(requestFields.shape.oauth_config),
    headers: nullable(requestFields.shape.headers),
    headers_from_secrets: nullable(requestFields.shape.headers_from_secrets),
    labels: nullable(requestFields.shape.labels),
    audit_config: nullable(requestFields.shape.audit_config),
    telemetry_config: nullable(requestFields.shape.telemetry_config),
    ignore_config: nullable(requestFields.shape.ignore_config),
    resources: nullable(requestFields.shape.resources),
    limits: nullable(requestFields.shape.limits),
    network_mode: nullable(requestFields.shape.network_mode),
    allow_hosts: nullable(requestFields.shape.allow_hosts),
    network_isolation_mode: nullable(requestFields.shape.network_isolation_mode),
    session_mode: nullable(requestFields.shape.session_mode),
    tools_override: nullable(requestFields.shape.tools_override),
    tools_changed: nullable(requestFields.shape.tools_changed),
    image_verification: nullable(requestFields.shape.image_verification),
    install_hosts: nullable(requestFields.shape.install_hosts),
    accept_network: nullable(requestFields.shape.accept_network),
    accept_mounts: nullable(requestFields.shape.accept_mounts),
    name: workloadName.optional().meta({ description: 'Must equal the name in the path' }),
  })
  .meta({ id: 'v1.updateRequest', description: 'Changes to a workload' })
export type UpdateRequest = z.infer<typeof updateRequest>
