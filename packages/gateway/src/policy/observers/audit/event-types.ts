import type { AuditSpec } from '@toolhaven/core/ports/gateway'

export type AuditEventType = AuditSpec['eventTypes'][number]

const BY_METHOD: Readonly<Record<string, AuditEventType>> = {
  initialize: 'mcp_initialize',
  'server/discover': 'mcp_initialize',
  ping: 'mcp_ping',
  'tools/call': 'mcp_tool_call',
  'tools/list': 'mcp_tools_list',
  'resources/read': 'mcp_resource_read',
  'resources/list': 'mcp_resources_list',
  'resources/templates/list': 'mcp_resources_list',
  'prompts/get': 'mcp_prompt_get',
  'prompts/list': 'mcp_prompts_list',
  'logging/setLevel': 'mcp_logging',
  'completion/complete': 'mcp_completion',
  'notifications/roots/list_changed': 'mcp_roots_list_changed',
}

export function typeOfRequest(method: string): AuditEventType {
  return (Object.hasOwn(BY_METHOD, method) ? BY_METHOD[method] : undefined) ?? 'mcp_request'
}

export function typeOfNotification(method: string): AuditEventType {
  return (Object.hasOwn(BY_METHOD, method) ? BY_METHOD[method] : undefined) ?? 'mcp_notification'
}
