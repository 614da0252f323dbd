/** What readers look for, in their words, and the page (below /toolhaven) that has the answer. Not used to tune the engine's lists. */
export const questions: ReadonlyArray<readonly [query: string, page: string]> = [
  ['install on linux', 'guides-cli/install'],
  ['install the cli', 'guides-cli/install'],
  ['run a server', 'guides-cli/run-mcp-servers'],
  ['how do I run an MCP server', 'guides-cli/run-mcp-servers'],
  ['stop a server', 'guides-cli/manage-mcp-servers'],
  ['remove a server', 'guides-cli/manage-mcp-servers'],
  ['manage servers', 'guides-cli/manage-mcp-servers'],
  ['build a container', 'guides-cli/build-containers'],
  ['build an image from a package', 'guides-cli/build-containers'],
  ['client configuration', 'guides-cli/client-configuration'],
  ['connect AI clients', 'guides-cli/client-configuration'],
  ['permission profile', 'guides-cli/custom-permissions'],
  ['custom permissions', 'guides-cli/custom-permissions'],
  ['give a server a folder', 'guides-cli/filesystem-access'],
  ['filesystem access', 'guides-cli/filesystem-access'],
  ['organize servers in groups', 'guides-cli/group-management'],
  ['network isolation', 'guides-cli/network-isolation'],
  ['block outbound network', 'guides-cli/network-isolation'],
  ['find servers in the registry', 'guides-cli/registry'],
  ['manage secrets', 'guides-cli/secrets-management'],
  ['store a secret', 'guides-cli/secrets-management'],
  ['telemetry and metrics', 'guides-cli/telemetry-and-metrics'],
  ['prometheus metrics', 'guides-cli/telemetry-and-metrics'],
  ['the api server', 'guides-cli/api-server'],
  ['use in CI/CD', 'guides-cli/advanced-cicd'],
  ['kubernetes operator', 'guides-k8s/intro'],
  ['deploy operator helm', 'guides-k8s/deploy-operator-helm'],
  ['run servers in kubernetes', 'guides-k8s/run-mcp-k8s'],
  ['desktop UI install', 'guides-ui/install'],
  ['secrets in the desktop UI', 'guides-ui/secrets-management'],
  ['network isolation with the UI', 'guides-ui/network-isolation'],
  ['clients in the desktop UI', 'guides-ui/client-configuration'],
  ['run servers with the UI', 'guides-ui/run-mcp-servers'],
  ['quickstart', 'tutorials/quickstart-cli'],
  ['quickstart kubernetes', 'tutorials/quickstart-k8s'],
  ['quickstart desktop', 'tutorials/quickstart-ui'],
  ['custom registry', 'tutorials/custom-registry'],
  ['what is MCP', 'concepts/mcp-primer'],
  ['model context protocol primer', 'concepts/mcp-primer'],
  ['observability', 'concepts/observability'],
  ['registry criteria', 'concepts/registry-criteria'],
  ['frequently asked questions', 'faq'],
  ['does it send data anywhere', 'faq'],
  ['client compatibility', 'reference/client-compatibility'],
  ['registry schema', 'reference/registry-schema'],
  ['thv run', 'reference/cli/thv_run'],
  ['thv build', 'reference/cli/thv_build'],
  ['thv list', 'reference/cli/thv_list'],
  ['thv logs prune', 'reference/cli/thv_logs_prune'],
  ['thv restart', 'reference/cli/thv_restart'],
  ['thv export', 'reference/cli/thv_export'],
  ['thv inspector', 'reference/cli/thv_inspector'],
  ['thv version', 'reference/cli/thv_version'],
  ['thv search', 'reference/cli/thv_search'],
  ['thv serve', 'reference/cli/thv_serve'],
  ['thv stop', 'reference/cli/thv_stop'],
  ['thv proxy tunnel', 'reference/cli/thv_proxy_tunnel'],
  ['thv proxy stdio', 'reference/cli/thv_proxy_stdio'],
  ['thv secret provider', 'reference/cli/thv_secret_provider'],
  ['thv secret reset-keyring', 'reference/cli/thv_secret_reset-keyring'],
  ['thv group create', 'reference/cli/thv_group_create'],
  ['thv client register', 'reference/cli/thv_client_register'],
  ['thv client setup', 'reference/cli/thv_client_setup'],
  ['set ca certificate', 'reference/cli/thv_config_set-ca-cert'],
  ['otel sampling rate', 'reference/cli/thv_config_otel_set-sampling-rate'],
  ['otel set endpoint', 'reference/cli/thv_config_otel_set-endpoint'],
  ['config set-registry', 'reference/cli/thv_config_set-registry'],
  ['runtime check', 'reference/cli/thv_runtime_check'],
  ['mcp list tools', 'reference/cli/thv_mcp_list_tools'],
  ['mcp serve', 'reference/cli/thv_mcp_serve'],
  ['registry info', 'reference/cli/thv_registry_info'],
]

/** The query with one typing error in its longest word: a letter missing, doubled, wrong, and two exchanged. */
export function withOneTypo(query: string): string[] {
  const word = query
    .split(/[^\p{L}\p{N}]+/u)
    .reduce((longest, each) => (each.length > longest.length ? each : longest), '')
  if (word.length < 4) return []
  // Never the first letter, and another place for every length, so that the errors are spread.
  const at = 1 + ((word.length * 7) % (word.length - 2))
  const [before, letter, next, after] = [word.slice(0, at), word[at] ?? '', word[at + 1] ?? '', word.slice(at + 2)]
  const wrong = letter === 'x' ? 'q' : 'x'
  return [
    `${before}${next}${after}`,
    `${before}${letter}${letter}${next}${after}`,
    `${before}${wrong}${next}${after}`,
    `${before}${next}${letter}${after}`,
  ]
    .filter((typed) => typed !== word)
    .map((typed) => query.replace(word, () => typed))
}
