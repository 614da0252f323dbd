import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { AuthenticationSpec } from '@toolhaven/core/ports/gateway'
import { checkOidc } from '@toolhaven/core/workloads/oidc'
import type { Context } from '../context.ts'
import type { ProxyFlags } from './proxy-flags.ts'
import { readProblem } from '../output/read-problem.ts'

/** Who may call the proxy; undefined means anyone who can reach its port. */
export async function proxyAuthentication(
  { cwd }: Pick<Context, 'cwd'>,
  flags: ProxyFlags,
): Promise<AuthenticationSpec | undefined> {
  const { oidcClientSecretFile: file } = flags
  if (file !== undefined && flags.oidcClientSecret !== undefined)
    throw invalid('give --oidc-client-secret or --oidc-client-secret-file, not both')
  const clientSecret = file === undefined ? flags.oidcClientSecret : await readSecretFile(cwd, file)
  const spec = {
    issuer: flags.oidcIssuer,
    audience: flags.oidcAudience,
    jwksUrl: flags.oidcJwksUrl,
    introspectionUrl: flags.oidcIntrospectionUrl,
    clientId: flags.oidcClientId,
    clientSecret,
    resourceUrl: flags.resourceUrl,
    allowPrivateIp: flags.oidcAllowPrivateIp,
  }
  const isAsked = Object.entries(spec).some(([name, value]) => name !== 'allowPrivateIp' && value !== undefined)
  if (!isAsked) return undefined
  checkOidc({
    ...(spec.issuer !== undefined && { issuer: spec.issuer }),
    ...(spec.jwksUrl !== undefined && { jwks_url: spec.jwksUrl }),
    ...(spec.introspectionUrl !== undefined && { introspection_url: spec.introspectionUrl }),
    ...(spec.clientId !== undefined && { client_id: spec.clientId }),
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(spec.resourceUrl !== undefined && { resource_url: spec.resourceUrl }),
    allow_private_ip: spec.allowPrivateIp,
  })
  return spec
}

export async function readSecretFile(cwd: string, file: string): Promise<string> {
  try {
    return (await readFile(resolve(cwd, file), 'utf8')).trim()
  } catch (error) {
    throw invalid(`${file} could not be read: ${readProblem(error)}`, error)
  }
}
