import * as z from 'zod'
import { envVarName } from './names.ts'
import { permissionProfile } from './permission-profile.ts'
import { headerValue, wellFormedText } from './text.ts'

/** The registry file format, which a url or file source must have to be accepted. */

export const serverKey = z
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
    name: envVarName.meta({ description: 'Name of the variable' }),
    description: z.string().meta({ description: 'What the variable is for' }),
    required: z.boolean().meta({ description: 'Whether the server needs it to start' }),
    default: wellFormedText.optional().meta({ description: 'Value to use when none is given' }),
    secret: z
      .boolean()
      .optional()
      .meta({ description: 'Whether its value is confidential. thv run then asks for a stored secret' }),
    choices: words.optional().meta({ description: 'Allowed values. An extension' }),
  })
  .meta({ id: 'registry.EnvVar', description: 'An environment variable that the server reads' })

export const registryHeader = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9-]+$/, 'must be a header name')
      .meta({ description: 'Name of the header' }),
    description: z.string().meta({ description: 'What the header is for' }),
    required: z.boolean().meta({ description: 'Whether the server needs it' }),
    default: headerValue.optional().meta({ description: 'Value to use when none is given' }),
    secret: z.boolean().optional().meta({ description: 'Whether its value is confidential' }),
    choices: words.optional().meta({ description: 'Allowed values' }),
  })
  .meta({ id: 'registry.Header', description: 'An HTTP header that the remote server reads' })

export const oauthConfig = z
  .strictObject({
    issuer: z
      .string()
      .optional()
      .meta({ description: 'Identity provider. Its endpoints are discovered from this URL' }),
    authorize_url: z
      .string()
      .optional()
      .meta({ description: 'Authorization endpoint, when the provider cannot be discovered' }),
    token_url: z.string().optional().meta({ description: 'Token endpoint, when the provider cannot be discovered' }),
    client_id: z
      .string()
      .optional()
      .meta({ description: 'Client ID to log in with (default: one that is registered dynamically)' }),
    scopes: z.array(z.string()).optional().meta({ description: 'Scopes to ask for (default: openid, profile, email)' }),
    use_pkce: z.boolean().optional().meta({ description: 'Use PKCE (default: true)' }),
    callback_port: z
      .int()
      .min(1)
      .max(65535)
      .optional()
      .meta({ description: 'Local port that the browser returns to after the login (default: any free port)' }),
    oauth_params: stringMap.optional().meta({ description: 'Extra parameters of the authorization request' }),
  })
  .meta({ id: 'registry.OAuthConfig', description: 'How to log in to the remote server with OAuth' })

export const registryMetadata = z
  .strictObject({
    stars: z.int().min(0).optional().meta({ description: 'Stars of the source repository' }),
    pulls: z.int().min(0).optional().meta({ description: 'Downloads of the image or package' }),
    last_updated: z.string().optional().meta({ description: 'When these figures were read, as RFC 3339' }),
  })
  .meta({ id: 'registry.Metadata', description: 'Figures about how much a server is used. They have no effect' })

export const provenance = z
  .strictObject({
    cert_issuer: z.string().optional().meta({
      description: 'Issuer in the signing certificate, such as "https://token.actions.githubusercontent.com"',
    }),
    repository_uri: z.string().optional().meta({ description: 'Source repository in the certificate' }),
    repository_ref: z.string().optional().meta({ description: 'Branch or tag in the certificate' }),
    runner_environment: z
      .string()
      .optional()
      .meta({ description: 'Kind of build machine in the certificate, such as "github-hosted"' }),
    signer_identity: z
      .string()
      .optional()
      .meta({ description: 'Identity in the certificate: a workflow or an e-mail address' }),
    sigstore_url: z.string().optional().meta({ description: 'Sigstore instance that issued the signature' }),
    attestation: z
      .strictObject({
        predicate_type: z.string().optional().meta({ description: 'Type of the attestation' }),
        predicate: z.unknown().optional().meta({ description: 'Content of the attestation' }),
      })
      .optional()
      .meta({ description: 'Attestation that comes with the image. It is not checked' }),
  })
  .meta({
    id: 'registry.Provenance',
    description: 'Who signs the image. The certificate of a signature must say the same',
  })
export type Provenance = z.infer<typeof provenance>

const commonFields = {
  name: serverKey.optional().meta({ description: 'Name of the server. Must equal its key when given' }),
  description: z.string().min(1).meta({ description: 'What the server does, in one sentence' }),
  tier: serverTier.meta({
    description:
      'Who maintains the server: Official is the maker of the service or the protocol, Community is anyone else',
  }),
  status: serverStatus.meta({ description: 'Whether the server is maintained' }),
  tools: words.meta({ description: 'Names of the tools that the server offers' }),
  tags: words.optional().meta({ description: 'Words for the search' }),
  env_vars: z.array(registryEnvVar).optional().meta({ description: 'Environment variables that the server reads' }),
  repository_url: z.url().optional().meta({ description: 'Source repository' }),
  source: wellFormedText
    .min(1)
    .optional()
    .meta({ description: 'Where the entry was taken from, such as its address in an MCP registry. An extension' }),
  metadata: registryMetadata.optional().meta({ description: 'Figures about how much the server is used' }),
  custom_metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Your own fields. They have no effect' }),
}

export const imageServer = z
  .strictObject({
    ...commonFields,
    image: z.string().min(1).meta({ description: 'Container image or package (npx://, uvx://, go://) of the server' }),
    transport: z.enum(['stdio', 'sse', 'streamable-http']).meta({ description: 'How the server speaks MCP' }),
    target_port: z
      .int()
      .min(1)
      .max(65535)
      .optional()
      .meta({ description: 'Port on which an sse or streamable-http server listens' }),
    args: z
      .array(wellFormedText)
      .optional()
      .meta({ description: 'Arguments of the server, used when a run gives none' }),
    args_needed: z.array(wellFormedText.min(1)).optional().meta({
      description:
        'Arguments, some of them without a value, such as --root and <folder>. A run must pass all of them. An extension',
    }),
    permissions: permissionProfile
      .optional()
      .meta({ description: 'What the server may read, write and reach unless a run says otherwise' }),
    provenance: provenance.optional().meta({ description: 'Who signs the image' }),
    docker_tags: words.optional().meta({ description: 'Tags of the image that are known to exist' }),
  })
  .meta({ id: 'registry.ImageMetadata', description: 'A server that runs on this machine, from an image or a package' })
export type ImageServer = z.infer<typeof imageServer>

export const remoteServer = z
  .strictObject({
    ...commonFields,
    url: z.url({ protocol: /^https?$/ }).meta({ description: 'Address of the server' }),
    transport: z.enum(['sse', 'streamable-http']).meta({ description: 'How the server speaks MCP' }),
    headers: z.array(registryHeader).optional().meta({ description: 'HTTP headers that the server reads' }),
    oauth_config: oauthConfig.optional().meta({ description: 'How to log in to the server' }),
    target_port: z
      .int()
      .min(1)
      .max(65535)
      .optional()
      .meta({ description: 'Accepted for the format of other registries. It has no effect on a remote server' }),
    args: z
      .array(wellFormedText)
      .optional()
      .meta({ description: 'Accepted for the format of other registries. It has no effect on a remote server' }),
    permissions: permissionProfile
      .optional()
      .meta({ description: 'Accepted for the format of other registries. It has no effect on a remote server' }),
    provenance: provenance
      .optional()
      .meta({ description: 'Accepted for the format of other registries. It has no effect on a remote server' }),
    docker_tags: words
      .optional()
      .meta({ description: 'Accepted for the format of other registries. It has no effect on a remote server' }),
  })
  .meta({ id: 'registry.RemoteServerMetadata', description: 'A server that runs elsewhere' })
export type RemoteServer = z.infer<typeof remoteServer>

export const registryDocument = z
  .strictObject({
    $schema: z.string().optional().meta({ description: 'Address of the JSON Schema, for editors' }),
    version: z.string().min(1).meta({ description: 'Version of this registry' }),
    last_updated: z.string().min(1).meta({ description: 'When the registry last changed, as RFC 3339' }),
    servers: z.record(serverKey, imageServer).meta({ description: 'Servers that run on this machine, by name' }),
    remote_servers: z
      .record(serverKey, remoteServer)
      .optional()
      .meta({ description: 'Servers that run elsewhere, by name' }),
  })
  .meta({ id: 'registry.Registry', description: 'A list of MCP servers' })
export type RegistryDocument = z.infer<typeof registryDocument>
