import * as z from 'zod'
import { AUDIT_EVENT_TYPES } from './audit.ts'
import { envVarName, groupName, secretKey, workloadName } from './names.ts'
import { permissionProfile } from './permission-profile.ts'
import { headerValue, installHost, UNPRINTABLE, wellFormedText } from './text.ts'

export const SCHEMA_VERSION = 'v0.1.0'

export const transportType = z
  .enum(['stdio', 'sse', 'streamable-http', 'inspector'])
  .meta({ id: 'types.TransportType' })
export type TransportType = z.infer<typeof transportType>

export const proxyMode = z.enum(['sse', 'streamable-http']).meta({ id: 'types.ProxyMode' })
export type ProxyMode = z.infer<typeof proxyMode>

const portNumber = z.int().min(1).max(65535)
const stringMap = z.record(z.string(), z.string())

/** Keys that every engine takes as a label. */
export const labelMap = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._/-]{0,251}[A-Za-z0-9])?$/, 'must be letters, digits, ".", "_", "/" or "-"'),
  wellFormedText.max(256),
)

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'must be a header name')
export const headerMap = z.record(headerName, headerValue)

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

export const remoteAuthConfig = z
  .strictObject({
    issuer: z.string().optional(),
    authorize_url: z.string().optional(),
    token_url: z.string().optional(),
    client_id: z.string().optional(),
    scopes: z.array(z.string()).optional().meta({ description: 'Default: openid, profile, email' }),
    use_pkce: z.boolean().optional().meta({ description: 'Default: true' }),
    callback_port: portNumber.optional(),
    oauth_params: stringMap.optional(),
    clientSecret: z.string().optional().meta({ description: 'Name of the stored secret, never its value' }),
    clientSecretFile: z.string().optional(),
    enableRemoteAuth: z.boolean().optional(),
    skipBrowser: z.boolean().optional(),
    timeout: z
      .string()
      .regex(/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/, 'must be a duration such as "5m"')
      .optional(),
    allowPrivateIP: z
      .boolean()
      .optional()
      .meta({ description: 'What the server names may be on this machine or its network. An extension' }),
    headers: headerMap.optional().meta({ description: 'Headers sent to the remote server' }),
    headers_from_secrets: z
      .record(headerName, secretKey)
      .optional()
      .meta({ description: 'Header → name of the stored secret that is its value' }),
  })
  .meta({ id: 'runner.RemoteAuthConfig', description: 'How Toolhaven logs in to a remote server' })
export type RemoteAuthConfig = z.infer<typeof remoteAuthConfig>

export const tokenValidatorConfig = z
  .strictObject({
    issuer: z.string().optional(),
    audience: z.string().optional(),
    jwksurl: z.string().optional(),
    clientID: z.string().optional(),
    clientSecret: z.string().optional().meta({ description: 'Name of the stored secret, never its value' }),
    introspectionURL: z.string().optional(),
    cacertPath: z.string().optional(),
    authTokenFile: z.string().optional(),
    resourceURL: z.string().optional(),
    allowPrivateIP: z.boolean().optional(),
  })
  .meta({ id: 'auth.TokenValidatorConfig', description: 'How callers of the workload prove who they are' })

export const authorizationConfig = z
  .strictObject({
    type: z.enum(['cedarv1', 'cedar']),
    version: z.string().min(1),
    cedar: z.strictObject({ policies: z.array(z.string()).min(1), entities_json: z.string().optional() }),
  })
  .meta({ id: 'authz.Config', description: 'Which calls a caller may make, as Cedar policies' })
export type AuthorizationConfig = z.infer<typeof authorizationConfig>

export const toolsOverride = z
  .record(
    z.string().min(1),
    z.strictObject({ name: wellFormedText.min(1).max(128).optional(), description: z.string().optional() }),
  )
  .meta({ id: 'toolhaven.ToolsOverride', description: 'By the server’s name of a tool: how clients see it' })

const auditEventType = z.enum(AUDIT_EVENT_TYPES)

export const auditConfig = z
  .strictObject({
    component: z.string().optional(),
    event_types: z.array(auditEventType).optional().meta({ description: 'Only these are recorded; left out: all' }),
    exclude_event_types: z.array(auditEventType).optional().meta({ description: 'Takes precedence over event_types' }),
    include_request_data: z.boolean().optional(),
    include_response_data: z.boolean().optional(),
    log_file: z
      .string()
      .optional()
      .meta({ description: 'A name, for the audit folder, or an absolute path; left out: the daemon’s output' }),
    max_data_size: z
      .int()
      .min(0)
      .max(1_048_576)
      .optional()
      .meta({ description: 'Bytes of a request or answer that are recorded at most; default 1024' }),
  })
  .meta({ id: 'audit.Config' })

export const telemetryConfig = z
  .strictObject({
    endpoint: z.string().optional(),
    serviceName: z.string().optional(),
    serviceVersion: z.string().optional(),
    samplingRate: z.number().min(0).max(1).optional(),
    insecure: z.boolean().optional(),
    headers: stringMap.optional(),
    environmentVariables: z.array(z.string()).optional(),
    enablePrometheusMetricsPath: z.boolean().optional(),
  })
  .meta({ id: 'telemetry.Config' })

export const ignoreConfig = z
  .strictObject({ loadGlobal: z.boolean().optional(), printOverlays: z.boolean().optional() })
  .meta({ id: 'ignore.Config' })

export const middlewareConfig = z
  .strictObject({ type: z.string().min(1), parameters: z.record(z.string(), z.unknown()) })
  .meta({ id: 'types.MiddlewareConfig' })
export type MiddlewareConfig = z.infer<typeof middlewareConfig>

export const resourceLimits = z
  .strictObject({
    memory_mb: z
      .int()
      .min(16)
      .max(2 ** 24)
      .optional(),
    cpus: z.number().min(0.01).max(4096).optional(),
    pids: z
      .int()
      .min(8)
      .max(2 ** 22)
      .optional(),
  })
  .meta({ id: 'toolhaven.ResourceLimits' })
export type ResourceLimits = z.infer<typeof resourceLimits>

export const workloadLimits = z
  .strictObject({
    requests_per_minute: z.int().positive().optional().meta({ description: 'Of all clients together' }),
    client_requests_per_minute: z.int().positive().optional().meta({ description: 'Of each client' }),
    max_message_bytes: z
      .int()
      .positive()
      .max(16 * 1024 * 1024)
      .optional()
      .meta({ description: 'One message of a client; default: 16 MiB' }),
    max_sessions: z.int().positive().max(1000).optional().meta({
      description: 'With session_mode auto or isolated: clients with a server of their own at a time; default: 10',
    }),
    session_idle_seconds: z.int().positive().max(86_400).optional().meta({
      description:
        'With session_mode auto or isolated: an unused server of a client ends after so long. For HTTP servers: the unused session of a client at the server ends, and the client gets a new one when it comes back. Default: 1800',
    }),
  })
  .meta({ id: 'toolhaven.WorkloadLimits', description: 'How much clients may ask of a workload' })
export type WorkloadLimits = z.infer<typeof workloadLimits>

export const sessionMode = z.enum(['auto', 'shared', 'isolated']).meta({
  id: 'toolhaven.SessionMode',
  description:
    'auto: one stdio server for all clients until it asks one of them something (sampling, elicitation, roots) or offers tasks; from then on, one for each client that can answer. shared: one for all clients; a question that may be for several of them is refused. isolated: one for each client session. Default: auto',
})

export const networkMode = z.enum(['isolated', 'host']).meta({
  id: 'toolhaven.NetworkMode',
  description:
    'isolated: a network of its own, from which only the egress gate leads out, as the permission profile says. host: the network of this machine, every local service included; it takes a profile that allows everything. Default: isolated',
})
export type NetworkMode = z.infer<typeof networkMode>

export const imageVerification = z.enum(['warn', 'enabled', 'disabled']).meta({
  id: 'toolhaven.ImageVerification',
  description:
    'Whether the signature of an image is checked against the provenance in the registry: warn starts it all the same and says so, enabled does not, disabled does not look; default: warn',
})

export const installHosts = z.array(installHost).max(50).meta({
  description:
    'Packages only: hosts that may be reached while a package is fetched and installed, besides the package indexes in use; a private one needs its port; default: none',
})

export const runConfig = z
  .strictObject({
    schema_version: z.literal(SCHEMA_VERSION),
    name: workloadName,
    image: z.string().min(1).optional(),
    transport: transportType,
    host: z.string().optional(),
    port: portNumber.optional(),
    target_port: portNumber.optional(),
    target_host: z.string().optional(),
    proxy_mode: proxyMode.optional(),
    cmd_args: z.array(wellFormedText).optional(),
    env_vars: z.record(envVarName, wellFormedText).optional(),
    secrets: z.array(secretReference).optional(),
    volumes: z.array(wellFormedText.min(1)).optional(),
    container_name: z.string().optional(),
    container_labels: labelMap.optional(),
    base_name: z.string().optional(),
    group: groupName.optional(),
    debug: z.boolean().optional(),
    isolate_network: z.boolean().optional(),
    tools_filter: z.array(wellFormedText.min(1)).optional(),
    remote_url: z.string().optional(),
    remote_auth_config: remoteAuthConfig.optional(),
    oidc_config: tokenValidatorConfig.optional(),
    authz_config: authorizationConfig.optional(),
    audit_config: auditConfig.optional(),
    telemetry_config: telemetryConfig.optional(),
    permission_profile: permissionProfile.optional(),
    permission_profile_name_or_path: z.string().optional(),
    middleware_configs: z.array(middlewareConfig).optional(),
    ignore_config: ignoreConfig.optional(),
    k8s_pod_template_patch: z.string().optional(),
    thv_ca_bundle: z.string().optional(),
    jwks_auth_token_file: z.string().optional(),
    // Beyond the specification: what our own create fields need to survive an export and import.
    resources: resourceLimits.optional(),
    limits: workloadLimits.optional(),
    session_mode: sessionMode.optional(),
    install_hosts: installHosts.optional(),
    tools_override: toolsOverride.optional(),
    tools_changed: z.literal('block').optional().meta({ description: 'Left out: warn' }),
    network_mode: networkMode.optional(),
    network_isolation_mode: z.literal('observe').optional().meta({ description: 'Left out: enforce' }),
    image_verification: z.enum(['enabled', 'disabled']).optional().meta({ description: 'Left out: warn' }),
  })
  .meta({
    id: 'runner.RunConfig',
    description: 'Everything needed to run a workload again, on this machine or another',
  })

export type RunConfig = z.infer<typeof runConfig>
