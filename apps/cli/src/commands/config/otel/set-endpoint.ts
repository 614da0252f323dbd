import { setSetting } from '../setting.ts'
import { ENDPOINT } from './otel-settings.ts'

export const otelSetEndpoint = setSetting(ENDPOINT, {
  args: [{ name: 'endpoint', summary: 'host:port, without a scheme', required: true }],
  examples: [{ command: 'thv config otel set-endpoint localhost:4318', shows: 'a collector on this machine' }],
  change: ([endpoint = '']) => ({ otel: { endpoint } }),
})
