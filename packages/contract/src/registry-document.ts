import * as z from 'zod'
import { envVarName } from './names.ts'
import { permissionProfile } from './permission-profile.ts'
import { headerValue, wellFormedText } from './text.ts'

/** The registry file format: what a url or file source must hold to be accepted. */

const serverKey = z
  .string()
  .regex(
    /^[A-Za-z0-9]([A-Za-z0-9._/-]{0,126}[A-Za-z0-9])?$/,
    'must be letters, digits, ".", "_", "-" or "/", alphanumeric at both ends',
  )
  .refine((name) => !name.includes('..'), 'must not contain ".."')

const unique = <T>(items: T[]) => new Set(items).size === items.length

const words = z.array(wellFormedText.min(1)).refine(unique, 'must not repeat an entry')
const stringMap = z.record(z.string(), z.string())

export const serverTier = z.enum(['Official', 'Community'])
export const serverStatus = z.enum(['active', 'deprecated'])

export const registryEnvVar = z
  .strictObject({
    name: envVarName,
    description: z.string(),
    required: z.boolean(),
    default: wellFormedText.optional(),
    secret: z.boolean().optional(),
  })
  .meta({ id: 'registry.EnvVar' })

export const registryHeader = z
  .strictObject({
    name: z.string().regex(/^[A-Za-z0-9-]+$/, 'must be a header name'),
    description: z.string(),
    required: z.boolean(),
    default: headerValue.optional(),
    secret: z.boolean().optional(),
    choices: words.optional(),
  })
  .meta({ id: 'registry.Header' })

export const oauthConfig = z
  .strictObject({
    issuer: z.string().optional(),
    authorize_url: z.string().optional(),
    token_url: z.string().optional(),
    client_id: z.string().optional(),
    scopes: z.array(z.string()).optional(),
    use_pkce: z.boolean().optional(),
    callback_port: z.int().min(1).max(65535).optional(),
    oauth_params: stringMap.optional(),
  })
  .meta({ id: 'registry.OAuthConfig' })

export const registryMetadata = z
  .strictObject({
    stars: z.int().min(0).optional(),
    pulls: z.int().min(0).optional(),
    last_updated: z.string().optional(),
  })
  .meta({ id: 'registry.Metadata' })

export const provenance = z
  .strictObject({
    cert_issuer: z.string().optional(),
    repository_uri: z.string().optional(),
    repository_ref: z.string().optional(),
    runner_environment: z.string().optional(),
    signer_identity: z.string().optional(),
    sigstore_url: z.string().optional(),
    attestation: z
      .strictObject({ predicate_type: z.string().optional(), predicate: z.unknown().optional() })
      .optional(),
  })
  .meta({
    id: 'registry.Provenance',
    description: 'Who signs the image, as the certificate of a signature must say it',
  })
export type Provenance = z.infer<typeof provenance>

const commonFields = {
  name: serverKey.optional(),
  description: z.string().min(1),
  tier: serverTier,
  status: serverStatus,
  tools: words,
  tags: words.optional(),
  env_vars: z.array(registryEnvVar).optional(),
  repository_url: z.url().optional(),
  metadata: registryMetadata.optional(),
  custom_metadata: z.record(z.string(), z.unknown()).optional(),
}

export const imageServer = z
  .strictObject({
    ...commonFields,
    image: z.string().min(1),
    transport: z.enum(['stdio', 'sse', 'streamable-http']),
    target_port: z.int().min(1).max(65535).optional(),
    args: z.array(wellFormedText).optional(),
    permissions: permissionProfile.optional(),
    provenance: provenance.optional(),
    docker_tags: words.optional(),
  })
  .meta({ id: 'registry.ImageMetadata' })
export type ImageServer = z.infer<typeof imageServer>

export const remoteServer = z
  .strictObject({
    ...commonFields,
    url: z.url({ protocol: /^https?$/ }),
    transport: z.enum(['sse', 'streamable-http']),
    headers: z.array(registryHeader).optional(),
    oauth_config: oauthConfig.optional(),
    target_port: z.int().min(1).max(65535).optional(),
    args: z.array(wellFormedText).optional(),
    permissions: permissionProfile.optional(),
    provenance: provenance.optional(),
    docker_tags: words.optional(),
  })
  .meta({ id: 'registry.RemoteServerMetadata' })
export type RemoteServer = z.infer<typeof remoteServer>

export const registryDocument = z
  .strictObject({
    $schema: z.string().optional(),
    version: z.string().min(1),
    last_updated: z.string().min(1),
    servers: z.record(serverKey, imageServer),
    remote_servers: z.record(serverKey, remoteServer).optional(),
  })
  .meta({ id: 'registry.Registry' })
export type RegistryDocument = z.infer<typeof registryDocument>
