/**
 * The indexes that npm, pip and uv use if nobody configured another. Toolhaven leaves the choice to them; it has to know the hosts only
 * to tell which tokens are in use and what an install may reach.
 */
export const NPM_INDEX = `https://${['registry', 'npmjs', 'org'].join('.')}/`
export const PYTHON_INDEX = `https://${['pypi', 'org'].join('.')}/simple`
/** Where that one keeps its files. */
const PYTHON_FILES = `https://${['files', 'pythonhosted', 'org'].join('.')}`

/** The addresses, and the host of files where it belongs to one of them. */
export function withFileHosts(addresses: readonly string[]): string[] {
  const { host } = new URL(PYTHON_INDEX)
  return addresses.some((address) => URL.parse(address)?.host === host) ? [...addresses, PYTHON_FILES] : [...addresses]
}
