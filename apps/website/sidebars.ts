import type { SidebarsConfig } from '@docusaurus/plugin-content-docs'
import { cliSidebar } from './site/cli-sidebar'
import { category, page } from './site/sidebar-items'

const docs = [
  page('toolhaven/index', 'Overview'),
  category('Get started', 'toolhaven/quickstart', [
    page('toolhaven/tutorials/quickstart-cli', 'Quickstart: CLI'),
    page('toolhaven/tutorials/quickstart-ui', 'Quickstart: desktop UI'),
    page('toolhaven/tutorials/quickstart-k8s', 'Quickstart: Kubernetes'),
  ]),
  category('CLI guides', 'toolhaven/guides-cli/index', [
    page('toolhaven/guides-cli/install'),
    page('toolhaven/guides-cli/registry'),
    category('Run MCP servers', 'toolhaven/guides-cli/run-mcp-servers', [
      page('toolhaven/guides-cli/run-remote-servers'),
      page('toolhaven/guides-cli/run-your-own-server'),
      page('toolhaven/guides-cli/share-a-server'),
      page('toolhaven/guides-cli/share-a-configuration'),
      page('toolhaven/guides-cli/protect-and-publish'),
      page('toolhaven/guides-cli/verify-images'),
    ]),
    page('toolhaven/guides-cli/manage-mcp-servers'),
    page('toolhaven/guides-cli/update-a-server'),
    page('toolhaven/guides-cli/client-configuration'),
    page('toolhaven/guides-cli/group-management'),
    category('Permissions', 'toolhaven/guides-cli/custom-permissions', [
      page('toolhaven/guides-cli/filesystem-access'),
      page('toolhaven/guides-cli/network-isolation'),
    ]),
    page('toolhaven/guides-cli/secrets-management'),
    page('toolhaven/guides-cli/telemetry-and-metrics'),
    page('toolhaven/guides-cli/build-containers'),
    page('toolhaven/guides-cli/advanced-cicd'),
    page('toolhaven/guides-cli/api-server'),
  ]),
  category('Desktop UI guides', 'toolhaven/guides-ui/index', [
    page('toolhaven/guides-ui/install'),
    page('toolhaven/guides-ui/run-mcp-servers'),
    page('toolhaven/guides-ui/client-configuration'),
    page('toolhaven/guides-ui/network-isolation'),
    page('toolhaven/guides-ui/secrets-management'),
  ]),
  category('Kubernetes guides', 'toolhaven/guides-k8s/index', [
    page('toolhaven/guides-k8s/intro'),
    page('toolhaven/guides-k8s/deploy-operator-helm'),
    page('toolhaven/guides-k8s/run-mcp-k8s'),
  ]),
  category('Concepts', 'toolhaven/concepts/index', [
    page('toolhaven/concepts/mcp-primer'),
    page('toolhaven/concepts/observability'),
    page('toolhaven/concepts/registry-criteria'),
    page('toolhaven/concepts/performance'),
  ]),
  category('Tutorials', 'toolhaven/tutorials/index', [page('toolhaven/tutorials/custom-registry')]),
  category('Reference', undefined, [
    cliSidebar('Commands (thv)'),
    page('toolhaven/reference/api', 'API'),
    page('toolhaven/reference/registry-schema', 'Registry schema'),
    page('toolhaven/reference/crd-spec', 'Operator CRD'),
    page('toolhaven/reference/client-compatibility', 'Client compatibility'),
  ]),
  page('toolhaven/faq', 'FAQ'),
  page('toolhaven/changelog'),
].flat()

export default { docs } satisfies SidebarsConfig
