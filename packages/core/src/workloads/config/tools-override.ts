import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid } from '../../errors.ts'
import { excerpt } from '@toolhaven/contract/visible-text'

/** No two tools may have the same name for clients. */
export function checkToolsOverride(
  { tools_override: overrides = {} }: RunConfig,
  entry: ImageServer | RemoteServer | undefined,
): void {
  const known = entry?.tools ?? []
  const unknown = Object.keys(overrides).filter((tool) => known.length > 0 && !known.includes(tool))
  if (unknown.length > 0) throw invalid(`tools_override: ${entry?.name} has no tool ${unknown.map(excerpt).join(', ')}`)
  const names = new Map<string, string>()
  for (const tool of new Set([...known, ...Object.keys(overrides)])) {
    const override = Object.hasOwn(overrides, tool) ? overrides[tool] : undefined
    const shown = override?.name ?? tool
    const other = names.get(shown)
    if (other !== undefined)
      throw invalid(
        `tools_override: ${excerpt(other)} and ${excerpt(tool)} would both be called ${excerpt(shown)}; give each a different name`,
      )
    names.set(shown, tool)
  }
}
