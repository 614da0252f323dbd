import * as z from 'zod'
import { authorizationConfig, remoteAuthConfig, tokenValidatorConfig } from './access-config.ts'
import { envVarName, groupName, secretKey, workloadName } from './names.ts'
import { auditConfig, telemetryConfig } from './observation-config.ts'
import { ownFolder } from './own-folder.ts'
import { permissionProfile } from './permission-profile.ts'
import { installHost, UNPRINTABLE, wellFormedText } from './text.ts'

export const SCHEMA_VERSION = 'v0.1.0'

export const transportType = z
  .enum(['stdio', 'sse', 'streamable-http', 'inspector'])
  .meta({ id: 'types.TransportType', description: 'How the server itself speaks MCP' })
export type TransportType = z.infer<typeof transportType>

export const proxyMode = z
  .enum(['sse', 'streamable-http'])
  .meta({ id: 'types.ProxyMode', description: 'Transport that clients are told to use' })
export type ProxyMode = z.infer<typeof proxyMode>

const portNumber = z.int().min(1).max(65535)

/** Keys that every engine accepts for a label. */
export const labelMap = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._/-]{0,251}[A-Za-z0-9])?$/, 'must be letters, digits, ".", "_", "/" or "-"'),
  wellFormedText.max(256),
)

/** `{name},target={env var}`, the only form in which a secret appears in a run configuration. */
export const secretReference = z
  .string()
  .regex(
    new RegExp(`^[^,${UNPRINTABLE}]+,target=[A-Za-z_][A-Za-z0-9_]*$`, 'u'),
    'must have the form "name,target=VARIABLE"',
  )

export const secretParameter = z
  .strictObject({ name: secretKey, target: envVarName })
  .meta({ id: 'secrets.SecretParameter', description: 'A stored secret and the environment variable that receives it' })
export type SecretParameter = z.infer<typeof secretParameter>

export const toolsOverride = z
  .record(
    z.string().min(1),
    z.strictObject({
      name: wellFormedText.min(1).max(128).optional().meta({ description: 'Name that clients see' }),
      description: z.string().optional().meta({ description: 'Description that clients see' }),
    }),
  )
  .meta({ id: 'toolhaven.ToolsOverride', description: 'How clients see a tool, by the name that the server gives it' })

export const ignoreConfig = z
  .strictObject({
    loadGlobal: z.boolean().optional().meta({ description: 'Also use the ignore file of the user (default: true)' }),
    printOverlays: z.boolean().optional().meta({ description: 'List the hidden files in the log of the workload' }),
  })
  .meta({ id: 'ignore.Config', description: 'Which files of a mount are hidden from the server' })

export const middlewareConfig = z
  .strictObject({
    type: z.string().min(1).meta({ description: 'Kind of middleware' }),
    parameters: z.record(z.string(), z.unknown()).meta({ description: 'Its settings' }),
  })
  .meta({
    id: 'types.MiddlewareConfig',
    description: 'One step that every message passes. Export writes these, and they follow from the other fields',
  })
export type MiddlewareConfig = z.infer<typeof middlewareConfig>

export const MEMORY_MB = { min: 16, max: 2 ** 24 } as const

export const resourceLimits = z
  .strictObject({
    memory_mb: z.int().min(MEMORY_MB.min).max(MEMORY_MB.max).optional().meta({ description: 'Memory in MiB' }),
    cpus: z.number().min(0.01).max(4096).optional().meta({ description: 'CPU cores, such as 0.5' }),
    pids: z
      .int()
      .min(8)
      .max(2 ** 22)
      .optional()
      .meta({ description: 'Processes and threads at the same time' }),
  })
  .meta({ id: 'toolhaven.ResourceLimits', description: 'What the server may use of this machine' })
export type ResourceLimits = z.infer<typeof resourceLimits>

export const workloadLimits = z
  .strictObject({
    requests_per_minute: z
      .int()
      .positive()
      .optional()
      .meta({ description: 'Requests per minute of all clients together' }),
    client_requests_per_minute: z
      .int()
      .positive()
      .optional()
      .meta({ description: 'Requests per minute of each client' }),
    max_message_bytes: z
      .int()
      .positive()
      .max(16 * 1024 * 1024)
      .optional()
      .meta({ description: 'Maximum size of one message of a client (default: 16 MiB)' }),
    max_sessions: z.int().positive().max(1000).optional().meta({
      description:
        'With session_mode auto or isolated: how many clients can have their own server at the same time (default: 10)',
    }),
    session_idle_seconds: z.int().positive().max(86_400).optional().meta({
      description:
        'With session_mode auto or isolated: seconds after which an unused server of a client ends. For HTTP servers: seconds after which an unused session at the server ends; a client that returns gets a new one (default: 1800)',
    }),
  })
  .meta({ id: 'toolhaven.WorkloadLimits', description: 'Limits for the requests of clients' })
export type WorkloadLimits = z.infer<typeof workloadLimits>

export const sessionMode = z.enum(['auto', 'shared', 'isolated']).meta({
  id: 'toolhaven.SessionMode',
  description:
    'auto: all clients share one stdio server until it asks a client something (sampling, elicitation, roots) or offers tasks; from then on, each client that can answer gets its own. shared: all clients share one server, and a question that may be for several of them is refused. isolated: each client session has its own server. Default: auto',
})

export const networkMode = z.enum(['isolated', 'host']).meta({
  id: 'toolhaven.NetworkMode',
  description:
    'isolated: the workload has its own network, whose only way out is the egress gate, which applies the permission profile. host: the workload uses the network of this machine, including every local service; it needs a profile that allows everything. Default: isolated',
})
export type NetworkMode = z.infer<typeof networkMode>

export const imageVerification = z.enum(['warn', 'enabled', 'disabled']).meta({
  id: 'toolhaven.ImageVerification',
  description:
    'Whether the signature of an image is checked against the provenance in the registry. warn: an image that fails the check starts with a warning. enabled: it does not start. disabled: nothing is checked. Default: warn',
})

export const installHosts = z.array(installHost).max(50).meta({
  description:
    'Packages only: hosts that may be reached while a package is fetched and installed, besides the package indexes in use. A private host needs its port (default: none)',
})

export const runConfig = z
  .strictObject({
    schema_version: z.literal(SCHEMA_VERSION).meta({ description: 'Version of this format' }),
    name: workloadName.meta({ description: 'Name of the workload' }),
    image: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'Container image or package (npx://, uvx://, go://) of the server' }),
    transport: transportType.meta({ description: 'How the server itself speaks MCP' }),
    host: z
      .string()
      .optional()
      .meta({ description: 'Address that the port of the workload listens on (default: 127.0.0.1)' }),
    port: portNumber.optional().meta({ description: 'Port that clients connect to' }),
    target_port: portNumber
      .optional()
      .meta({ description: 'Port on which an sse or streamable-http server listens inside the workload' }),
    target_host: z.string().optional().meta({
      description: 'Loopback address on which the server listens inside the workload: 127.0.0.1, ::1 or localhost',
    }),
    proxy_mode: proxyMode.optional().meta({ description: 'Transport that clients are told to use for a stdio server' }),
    cmd_args: z.array(wellFormedText).optional().meta({ description: 'Arguments of the server' }),
    env_vars: z
      .record(envVarName, wellFormedText)
      .optional()
      .meta({ description: 'Environment variables of the server' }),
    secrets: z
      .array(secretReference)
      .optional()
      .meta({ description: 'Secrets the server gets, each as "name,target=VARIABLE"' }),
    volumes: z
      .array(wellFormedText.min(1))
      .optional()
      .meta({ description: 'Folders and files the server may use, as "host:container" with an optional ":ro"' }),
    container_name: z
      .string()
      .optional()
      .meta({ description: 'Kept for other programs. Containers keep the names that Toolhaven gives them' }),
    container_labels: labelMap.optional().meta({ description: 'Labels of the container' }),
    base_name: z
      .string()
      .optional()
      .meta({ description: 'Name of the registry entry that the workload was made from' }),
    group: groupName.optional().meta({ description: 'Group of the workload (default: default)' }),
    debug: z
      .boolean()
      .optional()
      .meta({ description: 'Write each request to the log of the workload: method, tool, outcome and time' }),
    isolate_network: z.boolean().optional().meta({
      description: 'Every workload is isolated unless network_mode is host. true together with host is refused',
    }),
    tools_filter: z
      .array(wellFormedText.min(1))
      .optional()
      .meta({ description: 'Tools that clients may list and call (default: all)' }),
    remote_url: z.string().optional().meta({ description: 'Address of a remote server' }),
    remote_auth_config: remoteAuthConfig.optional(),
    oidc_config: tokenValidatorConfig.optional(),
    authz_config: authorizationConfig.optional(),
    audit_config: auditConfig.optional(),
    telemetry_config: telemetryConfig.optional(),
    permission_profile: permissionProfile.optional(),
    permission_profile_name_or_path: z
      .string()
      .optional()
      .meta({ description: 'Name of a built-in profile, or a file with one. Ignored when permission_profile is set' }),
    middleware_configs: z.array(middlewareConfig).optional().meta({
      description:
        'Steps that every message passes. Written by export. An import accepts only what the other fields produce',
    }),
    ignore_config: ignoreConfig.optional(),
    k8s_pod_template_patch: z
      .string()
      .optional()
      .meta({ description: 'Kept for the Kubernetes operator. It has no effect here' }),
    thv_ca_bundle: z.string().optional().meta({
      description: 'File with CA certificates to trust for the remote server, its login and the token provider',
    }),
    jwks_auth_token_file: z.string().optional().meta({
      description:
        'File below the configuration folder with a bearer token that Toolhaven sends to the provider when it fetches keys',
    }),
    // Beyond the specification: without these, our own create fields would not survive an export and import.
    folder: ownFolder.optional().meta({ description: 'Your own server in a folder. An import refuses it' }),
    resources: resourceLimits.optional(),
    limits: workloadLimits.optional(),
    session_mode: sessionMode.optional(),
    install_hosts: installHosts.optional(),
    tools_override: toolsOverride.optional(),
    tools_changed: z.literal('block').optional().meta({ description: 'Default: warn' }),
    network_mode: networkMode.optional(),
    network_isolation_mode: z.literal('observe').optional().meta({ description: 'Default: enforce' }),
    image_verification: z.enum(['enabled', 'disabled']).optional().meta({ description: 'Default: warn' }),
  })
  .meta({
    id: 'runner.RunConfig',
    description: 'Everything needed to run a workload again, on this machine or another',
  })

export type RunConfig = z.infer<typeof runConfig>
