import type { Setting } from './setting.ts'

export const PORT: Setting = {
  prefix: 'config ',
  name: 'port',
  noun: 'the port of the API',
  purpose:
    'where the daemon listens on localhost, from its next start on. --port of "thv serve" and THV_PORT take precedence',
  of: ({ api_port: port = null }) => ({ api_port: port }),
  show: ({ api_port: port }) => (typeof port === 'number' ? String(port) : undefined),
  cleared: { api_port: null },
}
