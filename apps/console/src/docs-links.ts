/** Put in by the build (vite.config.ts) from SITE_URL and SITE_BASE_URL, which the website is built with. */
declare const DOCS_ADDRESS: string

export interface DocsLink {
  label: string
  /** Below the address of the website. */
  path: string
}

export const DOCS_PAGES: readonly DocsLink[] = [
  { label: 'Quickstart', path: 'toolhaven/tutorials/quickstart-ui' },
  { label: 'Run MCP servers', path: 'toolhaven/guides-ui/run-mcp-servers' },
  { label: 'Connect AI clients', path: 'toolhaven/guides-ui/client-configuration' },
  { label: 'Limit what a server can reach', path: 'toolhaven/guides-ui/network-isolation' },
  { label: 'Manage secrets', path: 'toolhaven/guides-ui/secrets-management' },
  { label: 'Install', path: 'toolhaven/guides-ui/install' },
  { label: 'Organize servers in groups', path: 'toolhaven/guides-cli/group-management' },
  { label: 'Permission profiles', path: 'toolhaven/guides-cli/custom-permissions' },
  { label: 'The registry', path: 'toolhaven/guides-cli/registry' },
  { label: 'Telemetry and metrics', path: 'toolhaven/guides-cli/telemetry-and-metrics' },
  { label: 'Client compatibility', path: 'toolhaven/reference/client-compatibility' },
  { label: 'FAQ', path: 'toolhaven/faq' },
]

/** Where the documentation is; empty if it was not set when the console was built. */
export const docsAddress = typeof DOCS_ADDRESS === 'undefined' ? '' : DOCS_ADDRESS

export function docsLinks(address: string): { label: string; href: string }[] {
  if (!URL.canParse(address)) return []
  return DOCS_PAGES.map(({ label, path }) => ({ label, href: new URL(path, address).href }))
}
