import type { MiddlewareConfig, RunConfig } from '@toolhaven/contract/run-config'

/** The middleware of a configuration, outermost first. It is derived, so that it cannot contradict the other fields. */
export function middlewareConfigs(config: RunConfig): MiddlewareConfig[] {
  const list: MiddlewareConfig[] = [
    { type: 'guard', parameters: {} },
    { type: 'limits', parameters: { ...config.limits } },
    ...(config.audit_config ? [{ type: 'audit', parameters: { config_data: config.audit_config } }] : []),
    ...(config.debug ? [{ type: 'debug', parameters: {} }] : []),
    ...(config.oidc_config ? [{ type: 'auth', parameters: { oidc_config: config.oidc_config } }] : []),
    ...(config.telemetry_config ? [{ type: 'telemetry', parameters: { config: config.telemetry_config } }] : []),
    { type: 'mcp-parser', parameters: {} },
  ]
  if (config.tools_override)
    list.push({ type: 'tools-override', parameters: { tools_override: config.tools_override } })
  if (config.authz_config) list.push({ type: 'authorization', parameters: { config_data: config.authz_config } })
  if (config.tools_filter?.length) list.push({ type: 'tool-filter', parameters: { filter_tools: config.tools_filter } })
  if (config.tools_changed === 'block')
    list.push({ type: 'tool-lock', parameters: { tools_changed: config.tools_changed } })
  return list
}
