import { expect, test } from 'vitest'
import { COMMANDS, GROUPS } from './commands.ts'
import { referencePages } from './reference-page.ts'

/** The routes that docs/spec/website.md names under reference/cli, page by page. */
const ROUTES = [
  'thv',
  'thv_build',
  ...below('thv_client', ['list-registered', 'register', 'remove', 'setup', 'status']),
  ...below('thv_config', ['get-ca-cert', 'set-ca-cert', 'unset-ca-cert']),
  ...below('thv_config', ['get-registry', 'set-registry', 'unset-registry']).slice(1),
  ...below('thv_config_otel', ['get-endpoint', 'set-endpoint', 'unset-endpoint']),
  ...below('thv_config_otel', ['get-env-vars', 'set-env-vars', 'unset-env-vars']).slice(1),
  ...below('thv_config_otel', ['get-sampling-rate', 'set-sampling-rate', 'unset-sampling-rate']).slice(1),
  'thv_export',
  ...below('thv_group', ['create', 'list', 'rm']),
  'thv_inspector',
  'thv_list',
  ...below('thv_logs', ['prune']),
  ...below('thv_mcp', ['list', 'list_prompts', 'list_resources', 'list_tools', 'serve']),
  ...below('thv_proxy', ['stdio', 'tunnel']),
  ...below('thv_registry', ['info', 'list']),
  ...['thv_restart', 'thv_rm', 'thv_run'],
  ...below('thv_runtime', ['check']),
  'thv_search',
  ...below('thv_secret', ['delete', 'get', 'list', 'provider', 'reset-keyring', 'set', 'setup']),
  ...['thv_serve', 'thv_stop', 'thv_version'],
]

test('every route of the specification has its page', () => {
  const files = new Set(referencePages({ commands: COMMANDS, groups: GROUPS, summary: '' }).map(({ file }) => file))
  expect(new Set(ROUTES).size).toBe(63)
  expect(ROUTES.filter((route) => !files.has(`${route}.md`))).toEqual([])
})

function below(parent: string, words: readonly string[]): string[] {
  return [parent, ...words.map((word) => `${parent}_${word}`)]
}
