import { ThvError } from '@toolhaven/core/errors'
import type { FlagDef } from '../command.ts'
import { spelledFlag } from '../spelled-flag.ts'

/** Fields of the API, and the flags that set them. A longer name stands before one that it begins with. */
export const FLAG_OF_FIELD = [
  ['resources.memory_mb', 'memory'],
  ['resources.cpus', 'cpus'],
  ['resources.pids', 'pids'],
  ['resources', 'memory'],
  ['limits.requests_per_minute', 'requestsPerMinute'],
  ['limits.client_requests_per_minute', 'clientRequestsPerMinute'],
  ['limits.max_message_bytes', 'maxMessageBytes'],
  ['limits.max_sessions', 'maxSessions'],
  ['limits.session_idle_seconds', 'sessionIdle'],
  ['oauth_config.issuer', 'remoteAuthIssuer'],
  ['oauth_config.authorize_url', 'remoteAuthAuthorizeUrl'],
  ['oauth_config.token_url', 'remoteAuthTokenUrl'],
  ['oauth_config.client_id', 'remoteAuthClientId'],
  ['oauth_config.client_secret', 'remoteAuthClientSecret'],
  ['oauth_config.scopes', 'remoteAuthScopes'],
  ['oauth_config.callback_port', 'remoteAuthCallbackPort'],
  ['oidc.issuer', 'oidcIssuer'],
  ['oidc.audience', 'oidcAudience'],
  ['oidc.jwks_url', 'oidcJwksUrl'],
  ['oidc.introspection_url', 'oidcIntrospectionUrl'],
  ['oidc.client_id', 'oidcClientId'],
  ['oidc.client_secret', 'oidcClientSecret'],
  ['oidc.resource_url', 'resourceUrl'],
  ['oidc.allow_private_ip', 'oidcAllowPrivateIp'],
  ['telemetry_config.endpoint', 'otelEndpoint'],
  ['telemetry_config.headers', 'otelHeaders'],
  ['telemetry_config.environmentVariables', 'otelEnvVars'],
  ['telemetry_config.insecure', 'otelInsecure'],
  ['proxy_mode', 'proxyMode'],
  ['proxy_port', 'proxyPort'],
  ['target_port', 'targetPort'],
  ['session_mode', 'sessionMode'],
  ['env_vars', 'env'],
  ['volumes', 'volume'],
  ['secrets', 'secret'],
  ['tools_override', 'toolsOverride'],
  ['tools_changed', 'toolsChanged'],
  ['tools', 'tools'],
  ['permission_profile', 'permissionProfile'],
  ['network_mode', 'network'],
  ['network_isolation_mode observe', 'observeNetwork'],
  ['network_isolation_mode', 'observeNetwork'],
  ['network_isolation', 'isolateNetwork'],
  ['allow_hosts', 'allowHost'],
  ['install_hosts', 'installHost'],
  ['image_verification', 'imageVerification'],
  ['authz_config', 'authzConfig'],
  ['audit_config', 'auditConfig'],
  ['labels', 'label'],
  ['headers_from_secrets', 'headerSecret'],
  ['headers', 'header'],
  ['transport', 'transport'],
  ['group', 'group'],
  ['host', 'host'],
  ['name', 'name'],
] as const

/** Messages about these begin with the object, and name its fields without the prefix. */
const OBJECTS = ['oidc', 'oauth_config', 'telemetry_config'] as const

const SMALL_SERVER_JSON =
  '{"name": "example/server", "description": "…", "version": "1.0.0", "packages": [{"registryType": "npm", "identifier": "NAME", "version": "1.0.0", "transport": {"type": "stdio"}}]}'

/** Phrases of the API about routes and bodies, with the same advice for the CLI. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/GET \/api\/v1beta\/workloads\?all=true lists them/, '"thv list --all" lists them'],
  [/POST \/api\/v1beta\/secrets sets one up/, '"thv secret setup" sets one up'],
  [/GET \/api\/v1beta\/discovery\/servers lists them/, '"thv adopt" lists them'],
  [/PUT \{\} resets it to the built-in one/, '"thv config unset-registry" resets it to the built-in one'],
  [/^group (\S+) not found; create it first/, 'group $1 not found; create it with "thv group create $1"'],
  [/^secret ([^\s,]+) not found; create it first/, 'secret $1 not found; store it with "thv secret set $1"'],
  [/^secret (.+) not found; create it first/, 'secrets $1 not found; store each with "thv secret set NAME"'],
  [
    /^workload (\S+) already exists; choose another name or delete it first/,
    'workload $1 already exists; choose another name with --name, or remove it with "thv rm $1"',
  ],
  [
    / needs ([\w-]+)( \(a secret\))?: set each in env_vars, or as the target of a secret/,
    ' needs $1. Pass it with --secret NAME,target=$1 or -e $1=VALUE',
  ],
  [
    /: set each in env_vars, or as the target of a secret/,
    '. Pass each with --secret NAME,target=VARIABLE or -e VARIABLE=VALUE',
  ],
  [
    / needs the header ([\w-]+)( \(.*\))?: set it in headers$/,
    ' needs the header $1$2. Store it with "thv secret set NAME" and pass --header-secret $1=NAME',
  ],
  [/ needs arguments: (.*); set them in cmd_arguments/, ' needs arguments. Write them after "--": -- $1'],
  [
    /^image ("[^"]*") is neither a server of the registry nor a valid image reference; use a registry name, .*/,
    '$1 is neither a server of the registry nor an image. "thv run --help" lists what can be run',
  ],
  [/^key: /, 'the name of a secret '],
  [/^permission_profile: allow_host (?=")/, 'permission_profile or allow_hosts: '],
  [/^server_json: (.* cannot run: .*)$/s, '$1\n"thv search WORD" finds servers that run here.'],
  [/^server_json: /, ''],
  [/(?<=^|; )server_json\./g, 'server.json: '],
  [/^server\.json: .*$/s, `$&\nA small one: ${SMALL_SERVER_JSON}`],
  [/(?<=is not a registry: .*)\$(?:\.|: )(?=[a-z])/g, ''],
  [/^permission_profile\.(read|write): must be a list$/, '$&, such as ["/srv/data"]'],
  [/: set it in headers$/, '. Pass each with --header-secret HEADER=NAME or --header HEADER=VALUE'],
  [
    /\. Set oauth_config, or a header with a token/,
    '. Say where with --remote-auth-issuer, or pass a stored token with --header-secret Authorization=NAME',
  ],
  [
    /^oauth_config is only for remote servers; remove it/,
    'flags that begin with --remote-auth are only for remote servers; remove them',
  ],
  [/ \(network_isolation_mode observe\)/, ''],
  [/^otel\.endpoint /, 'the telemetry endpoint '],
  [/^url (must|leads)/, 'the address $1'],
  [/use headers or secrets$/, 'use --header'],
  [/: allow private addresses to use it$/, ': add --allow-private-ip if it is yours'],
  [/, or allow private addresses$/, ', or be allowed with --allow-private-ip'],
  [/; give another url$/, '; give another address'],
  // The API's text names both, for those who use the API.
  [/[a-z_]+(?:[:=] ?| )\w+ \((--[a-z -]+)\)/g, '$1'],
]

/** The error in the terms of the CLI, for a command with these flags. Without them, fields keep their names. */
export function inFlags(error: ThvError, flags: Readonly<Record<string, FlagDef>> = {}): ThvError {
  const known = FLAG_OF_FIELD.filter(([, flag]) => flag in flags)
  const plain = PHRASES.reduce((text, [pattern, instead]) => text.replace(pattern, instead), error.message)
  const parts = withWholeNames(plain, known).split(/("[^"\n]*")/)
  const renamed = parts.map((part, at) => (at % 2 === 1 ? part : rewrite(part, known, at === 0))).join('')
  const told = withPlainKeys('name' in flags ? renamed : renamed.replace(/^name: /, 'the name '))
  return told === error.message ? error : new ThvError(error.code, told, { cause: error })
}

type Known = readonly (typeof FLAG_OF_FIELD)[number][]

/** `oidc: client_secret needs client_id` → `oidc.client_secret needs oidc.client_id`. */
function withWholeNames(text: string, known: Known): string {
  const object = OBJECTS.find((name) => text.startsWith(`${name}: `))
  if (object === undefined) return text
  const fields = known.map(([field]) => field).filter((field) => field.startsWith(`${object}.`))
  const own = fields.map((field) => field.slice(object.length + 1))
  if (own.length === 0) return text
  return text.slice(object.length + 2).replaceAll(wholeWord(own.join('|')), (name) => `${object}.${name}`)
}

/** `--env.A B: must …` → `--env A B: must …`, and `--allow-host.0: must …` without the number that nobody typed. */
const withPlainKeys = (text: string) =>
  text
    .replace(/^(--[a-z-]+)\.\d+(?=[.:])/, '$1')
    .replace(/^(--(?:env|label|header|header-secret|secret))\.(.+?)(?=: )/, '$1 $2')

function rewrite(text: string, known: Known, isStart: boolean): string {
  return known.reduce((told, [field, flag]) => {
    const spelled = spelledFlag(flag)
    // A field whose name is a plain word is replaced only at the beginning of a message.
    const isPlain = /^[a-z]+$/.test(field)
    if (isPlain && !isStart) return told
    return told.replace(isPlain ? new RegExp(`^${field}(?=(\\.[^:]+)?:| $)`) : wholeWord(field), spelled)
  }, text)
}

const wholeWord = (pattern: string) => new RegExp(`(?<![\\w.-])(?:${pattern.replaceAll('.', '\\.')})(?![\\w-])`, 'g')
