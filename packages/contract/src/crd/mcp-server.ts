import * as z from 'zod'
import { authorizationConfig } from '../access-config.ts'
import { envVarName } from '../names.ts'
import { auditConfig, telemetryConfig } from '../observation-config.ts'
import { permissionProfile } from '../permission-profile.ts'
import { oauthConfig } from '../registry-document.ts'
import { proxyMode, transportType } from '../run-config.ts'

/** The resource of the Kubernetes operator. This is a preview: the operator does not exist yet, and fields may still change. */

export const CRD_GROUP = 'toolhaven.dev'
export const CRD_VERSION = 'v1alpha1'
export const CRD_KIND = 'MCPServer'

const portNumber = z.int().min(1).max(65535)
const resourceName = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,251}[a-z0-9])?$/, 'must be the name of a Kubernetes object')

const envVar = z
  .strictObject({
    name: envVarName.meta({ description: 'Name of the variable' }),
    value: z.string().meta({ description: 'Its value' }),
  })
  .meta({ id: 'EnvVar', description: 'A variable that the server gets when it starts' })

const secretRef = z
  .strictObject({
    name: resourceName.meta({ description: 'Name of the Secret, in the namespace of the resource' }),
    key: z.string().min(1).meta({ description: 'Key in the Secret' }),
    targetEnvName: envVarName
      .optional()
      .meta({ description: 'Variable that gets the value (default: the name of the key)' }),
  })
  .meta({ id: 'SecretRef', description: 'A value of a Secret that the server gets as a variable' })

const volume = z
  .strictObject({
    name: resourceName.meta({ description: 'Name of the volume in the pod' }),
    claimName: resourceName.meta({ description: 'Name of the PersistentVolumeClaim' }),
    mountPath: z.string().min(1).meta({ description: 'Where the server sees it' }),
    readOnly: z.boolean().default(true).meta({ description: 'Whether the server can only read it' }),
  })
  .meta({ id: 'Volume', description: 'Storage of the cluster that the server may use' })

const permissionProfileRef = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('builtin').meta({ description: 'A built-in profile' }),
      name: z.enum(['none', 'network']).meta({ description: 'A built-in profile' }),
    }),
    z.strictObject({
      type: z.literal('configMap').meta({ description: 'A profile in a ConfigMap' }),
      name: resourceName.meta({ description: 'Name of the ConfigMap' }),
      key: z.string().min(1).meta({ description: 'Key in the ConfigMap, which holds a profile as JSON' }),
    }),
    z.strictObject({
      type: z.literal('inline').meta({ description: 'A profile in this resource' }),
      profile: permissionProfile.meta({ description: 'The profile' }),
    }),
  ])
  .meta({ id: 'PermissionProfileRef', description: 'Where the permission profile is' })

const oidc = z
  .strictObject({
    issuer: z.string().min(1).meta({ description: 'Address of the identity provider' }),
    audience: z.string().optional().meta({ description: 'Audience that a token must name' }),
    clientId: z.string().optional().meta({ description: 'Client ID for token introspection' }),
    jwksUrl: z
      .string()
      .optional()
      .meta({ description: 'Address of the keys that sign tokens (default: discovered from the issuer)' }),
  })
  .meta({ id: 'OIDC', description: 'How callers prove who they are' })

const quantities = z
  .strictObject({
    cpu: z.string().optional().meta({ description: 'For example "500m"' }),
    memory: z.string().optional().meta({ description: 'For example "256Mi"' }),
  })
  .meta({ id: 'Quantities', description: 'Amounts of CPU and memory' })

const resources = z
  .strictObject({
    limits: quantities.optional().meta({ description: 'Upper limits for the server' }),
    requests: quantities.optional().meta({ description: 'What is reserved for the server' }),
  })
  .meta({ id: 'Resources', description: 'Requests and limits, as in a container of a pod' })

const remote = z
  .strictObject({
    url: z.url().meta({ description: 'Address of the remote server' }),
    oauth: oauthConfig.optional().meta({ description: 'How the operator logs in to it' }),
  })
  .meta({ id: 'Remote', description: 'A server that runs elsewhere' })

export const mcpServerSpec = z
  .strictObject({
    image: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'Container image of the server. Exactly one of image and remote is given' }),
    remote: remote.optional().meta({ description: 'A server that runs elsewhere, instead of image' }),
    transport: transportType.default('stdio').meta({ description: 'How the server speaks inside its pod' }),
    proxyMode: proxyMode.default('streamable-http').meta({ description: 'What clients speak with a stdio server' }),
    port: portNumber.default(8080).meta({ description: 'Port of the Service that clients reach' }),
    targetPort: portNumber.optional().meta({ description: 'Port the server listens on, unless it speaks stdio' }),
    args: z.array(z.string()).optional().meta({ description: 'Arguments of the server' }),
    env: z.array(envVar).optional().meta({ description: 'Environment variables of the server' }),
    secrets: z.array(secretRef).optional().meta({ description: 'Values of Secrets that the server gets as variables' }),
    volumes: z.array(volume).optional().meta({ description: 'Storage of the cluster that the server may use' }),
    tools: z.array(z.string().min(1)).optional().meta({ description: 'Only these tools are listed and may be called' }),
    permissionProfile: permissionProfileRef
      .optional()
      .meta({ description: 'What the server may read, write and reach (default: nothing)' }),
    oidc: oidc.optional().meta({ description: 'How callers prove who they are' }),
    authorization: authorizationConfig.optional().meta({ description: 'Which calls a caller may make' }),
    audit: auditConfig.optional().meta({ description: 'What the audit log records' }),
    telemetry: telemetryConfig.optional().meta({ description: 'Where traces and metrics go' }),
    resources: resources.optional().meta({ description: 'CPU and memory of the server' }),
    serviceAccount: resourceName
      .optional()
      .meta({ description: 'Service account of the server (default: one without permissions)' }),
    podTemplate: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Fields of a pod template that override the ones the operator sets' }),
  })
  .meta({ id: 'MCPServerSpec', description: 'The desired state' })

const condition = z
  .strictObject({
    type: z
      .enum(['Ready', 'PermissionsApplied', 'TokensAccepted'])
      .meta({ description: 'What the condition is about' }),
    status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'Whether it holds' }),
    reason: z.string().meta({ description: 'Reason, as one word for programs' }),
    message: z.string().meta({ description: 'Reason, as a sentence for people' }),
    lastTransitionTime: z.string().meta({ description: 'RFC 3339' }),
  })
  .meta({ id: 'Condition', description: 'One condition of the server' })

export const mcpServerStatus = z
  .strictObject({
    phase: z
      .enum(['Pending', 'Running', 'Failed', 'Terminating'])
      .optional()
      .meta({ description: 'Phase of the server' }),
    message: z.string().optional().meta({ description: 'Why the server is in this phase' }),
    url: z.string().optional().meta({ description: 'Address for clients inside the cluster' }),
    observedGeneration: z
      .int()
      .optional()
      .meta({ description: 'Generation of the resource that this status is about' }),
    conditions: z.array(condition).optional().meta({ description: 'Conditions of the server' }),
  })
  .meta({ id: 'MCPServerStatus', description: 'The state that the operator last observed' })

export const mcpServer = z
  .strictObject({
    apiVersion: z.literal(`${CRD_GROUP}/${CRD_VERSION}`).meta({ description: 'Group and version of the resource' }),
    kind: z.literal(CRD_KIND).meta({ description: 'Kind of the resource' }),
    metadata: z.record(z.string(), z.unknown()).meta({ description: 'As in every Kubernetes object' }),
    spec: mcpServerSpec.meta({ description: 'The desired state' }),
    status: mcpServerStatus.optional().meta({ description: 'The state that the operator last observed' }),
  })
  .meta({ id: 'MCPServer', description: 'One MCP server that the operator runs' })
