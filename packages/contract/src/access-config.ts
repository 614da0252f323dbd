import * as z from 'zod'
import { secretKey } from './names.ts'
import { oauthConfig } from './registry-document.ts'
import { headerValue } from './text.ts'

/** How Toolhaven logs in to servers, how callers log in to Toolhaven, and what they may do then. */

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'must be a header name')
export const headerMap = z.record(headerName, headerValue)
export const headerSecrets = z
  .record(headerName, secretKey)
  .meta({ description: 'Header of the remote server → name of the stored secret that is its value' })

export const remoteAuthConfig = z
  .strictObject({
    ...oauthConfig.shape,
    clientSecret: z.string().optional().meta({ description: 'Name of the stored secret, never its value' }),
    clientSecretFile: z
      .string()
      .optional()
      .meta({ description: 'File with the client secret, below the configuration folder' }),
    enableRemoteAuth: z.boolean().optional().meta({
      description: 'false turns logins off. With any other value, Toolhaven logs in when the server asks for it',
    }),
    skipBrowser: z
      .boolean()
      .optional()
      .meta({ description: 'thv run prints the address of the login and does not open a browser' }),
    timeout: z
      .string()
      .regex(/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/, 'must be a duration such as "5m"')
      .optional()
      .meta({ description: 'How long thv run waits for the login, such as "5m"' }),
    allowPrivateIP: z
      .boolean()
      .optional()
      .meta({ description: 'Addresses that the server names may be on this machine or its network. An extension' }),
    headers: headerMap.optional().meta({ description: 'Headers sent to the remote server' }),
    headers_from_secrets: headerSecrets.optional().meta({ description: headerSecrets.description }),
  })
  .meta({ id: 'runner.RemoteAuthConfig', description: 'How Toolhaven logs in to a remote server' })
export type RemoteAuthConfig = z.infer<typeof remoteAuthConfig>

export const tokenValidatorConfig = z
  .strictObject({
    issuer: z.string().optional().meta({ description: 'Provider that must have issued the token' }),
    audience: z.string().optional().meta({ description: 'Audience that a token must name' }),
    jwksurl: z
      .string()
      .optional()
      .meta({ description: 'Address of the keys that sign tokens (default: discovered from the issuer)' }),
    clientID: z.string().optional().meta({ description: 'Client ID for token introspection' }),
    clientSecret: z.string().optional().meta({ description: 'Name of the stored secret, never its value' }),
    introspectionURL: z
      .string()
      .optional()
      .meta({ description: 'Introspection endpoint, for tokens that are not signed' }),
    cacertPath: z.string().optional().meta({ description: 'File with a CA certificate to trust for the provider' }),
    authTokenFile: z.string().optional().meta({
      description:
        'File below the configuration folder with a bearer token that Toolhaven sends to the provider when it fetches keys',
    }),
    resourceURL: z
      .string()
      .optional()
      .meta({ description: 'URL at which clients reach the workload from outside (default: its own address)' }),
    allowPrivateIP: z
      .boolean()
      .optional()
      .meta({ description: 'The provider may be on this machine or its network, and may use http' }),
  })
  .meta({ id: 'auth.TokenValidatorConfig', description: 'How callers of the workload prove who they are' })

export const authorizationConfig = z
  .strictObject({
    type: z.enum(['cedarv1', 'cedar']).meta({ description: 'Kind of policy. Both values mean Cedar' }),
    version: z.string().min(1).meta({ description: 'Version of this format, such as "1.0"' }),
    cedar: z
      .strictObject({
        policies: z.array(z.string()).min(1).meta({ description: 'Policies in the Cedar language' }),
        entities_json: z
          .string()
          .optional()
          .meta({ description: 'Entities that the policies refer to, as a JSON text' }),
      })
      .meta({ description: 'Policies and entities' }),
  })
  .meta({ id: 'authz.Config', description: 'Which calls a caller may make, as Cedar policies' })
export type AuthorizationConfig = z.infer<typeof authorizationConfig>
