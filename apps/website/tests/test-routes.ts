/** Every route of the specification, as it is written there. */

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  build: [],
  client: ['list-registered', 'register', 'remove', 'setup', 'status'],
  config: [
    ...['get-ca-cert', 'set-ca-cert', 'unset-ca-cert', 'get-registry', 'set-registry', 'unset-registry', 'otel'],
    ...['get', 'set', 'unset'].flatMap((verb) =>
      ['endpoint', 'env-vars', 'sampling-rate'].map((what) => `otel_${verb}-${what}`),
    ),
  ],
  export: [],
  group: ['create', 'list', 'rm'],
  inspector: [],
  list: [],
  logs: ['prune'],
  mcp: ['list', 'list_prompts', 'list_resources', 'list_tools', 'serve'],
  proxy: ['stdio', 'tunnel'],
  registry: ['info', 'list'],
  restart: [],
  rm: [],
  run: [],
  runtime: ['check'],
  search: [],
  secret: ['delete', 'get', 'list', 'provider', 'reset-keyring', 'set', 'setup'],
  serve: [],
  stop: [],
  version: [],
}

const below = (folder: string, pages: readonly string[]) => pages.map((page) => `/toolhaven/${folder}/${page}`)

/** With the docs sidebar. */
export const DOCS_ROUTES: readonly string[] = [
  '/theme-preview',
  '/toolhaven/',
  '/toolhaven/quickstart',
  '/toolhaven/faq',
  '/toolhaven/concepts',
  ...below('concepts', ['mcp-primer', 'observability', 'registry-criteria']),
  '/toolhaven/guides-cli/',
  ...below('guides-cli', [
    ...['install', 'run-mcp-servers', 'manage-mcp-servers', 'build-containers', 'client-configuration'],
    ...['custom-permissions', 'filesystem-access', 'group-management', 'network-isolation', 'registry'],
    ...['secrets-management', 'telemetry-and-metrics', 'api-server', 'advanced-cicd'],
  ]),
  '/toolhaven/guides-k8s/',
  ...below('guides-k8s', ['intro', 'deploy-operator-helm', 'run-mcp-k8s']),
  '/toolhaven/guides-ui/',
  ...below('guides-ui', [
    'install',
    'client-configuration',
    'network-isolation',
    'run-mcp-servers',
    'secrets-management',
  ]),
  '/toolhaven/tutorials',
  ...below('tutorials', ['custom-registry', 'quickstart-cli', 'quickstart-k8s', 'quickstart-ui']),
  ...below('reference', ['api', 'client-compatibility', 'crd-spec', 'registry-schema']),
  '/toolhaven/reference/cli/thv',
  ...Object.entries(COMMANDS).flatMap(([command, subcommands]) =>
    [command, ...subcommands.map((name) => `${command}_${name}`)].map((name) => `/toolhaven/reference/cli/thv_${name}`),
  ),
]

/** In the same layout, without a sidebar. */
export const OTHER_ROUTES: readonly string[] = ['/', '/search']

export const ROUTES = [...OTHER_ROUTES, ...DOCS_ROUTES]
