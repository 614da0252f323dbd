/** What the daemon takes from its surroundings: where things are, which engine, and how to reach the network. */
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

/** Read by the daemon, and not for a file that says how to start it. */
const SECRETS = /^(THV_API_TOKEN|THV_SECRETS_PASSWORD|OP_SERVICE_ACCOUNT_TOKEN|TOOLHAVEN_SECRET_.+)$/

const hasCredentials = (value: string) => /:\/\/[^/\s@]+@/.test(value)

/** Variables to give to the service, and the names of those that would give a secret away. */
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
