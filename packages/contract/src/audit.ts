/** The types of events that an audit record can describe. */
export const AUDIT_EVENT_TYPES = [
  'mcp_initialize',
  'mcp_tool_call',
  'mcp_tools_list',
  'mcp_resource_read',
  'mcp_resources_list',
  'mcp_prompt_get',
  'mcp_prompts_list',
  'mcp_notification',
  'mcp_ping',
  'mcp_logging',
  'mcp_completion',
  'mcp_roots_list_changed',
  'mcp_request',
  'sse_connection',
  'http_request',
] as const

export type AuditEventType = (typeof AUDIT_EVENT_TYPES)[number]
