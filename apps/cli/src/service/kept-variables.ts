/** Environment variables that the daemon reads: folders, the container engine, and how to reach the network. */
const OURS = [
  /^PATH$/,
  /^THV_(RUNTIME|PORT)$/,
  /^XDG_(CONFIG|STATE|DATA|CACHE)_HOME$/,
  /^DOCKER_(HOST|CONTEXT|CONFIG|CERT_PATH|TLS_VERIFY)$/,
  /^CONTAINER_HOST$/,
  /^(HTTPS?|ALL|NO)_PROXY$/i,
  /^(SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE)$/,
  /^npm_config_(registry|replace_registry_host|cafile|userconfig|globalconfig|strict_ssl|proxy|https_proxy|noproxy)$/i,
  /^npm_config_(ignore_scripts|@.+:registry)$/i,
  /^PIP_(INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|TRUSTED_HOST|CERT|CONFIG_FILE|PROXY|DEFAULT_TIMEOUT)$/,
  /^UV_(DEFAULT_INDEX|INDEX|INDEX_URL|INDEX_STRATEGY|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|INSECURE_HOST|HTTP_TIMEOUT)$/,
  /^GO(PROXY|PRIVATE|NOPROXY|SUMDB|NOSUMDB|NOSUMCHECK|INSECURE)$/,
]

/** Variables that the daemon reads, but that must not be written to a service file. */
const SECRETS = /^(THV_API_TOKEN|THV_SECRETS_PASSWORD|OP_SERVICE_ACCOUNT_TOKEN|TOOLHAVEN_SECRET_.+)$/

const hasCredentials = (value: string) => /:\/\/[^/\s@]+@/.test(value)

/** Variables for the service file, and the names of those that it would expose as secrets. */
export function keptVariables(env: Readonly<Record<string, string | undefined>>): {
  env: Record<string, string>
  leftOut: string[]
} {
  const set = Object.entries(env).flatMap(([name, value]) => (value ? [[name, value] as const] : []))
  const wanted = set.filter(([name]) => OURS.some((pattern) => pattern.test(name)))
  return {
    env: Object.fromEntries(wanted.filter(([, value]) => !hasCredentials(value)).toSorted(byName)),
    leftOut: [
      ...set.filter(([name]) => SECRETS.test(name)),
      ...wanted.filter(([, value]) => hasCredentials(value)),
    ].map(([name]) => name),
  }
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]) => (a < b ? -1 : 1)
