import { defineCommand } from '../command.ts'

export const serve = defineCommand({
  words: 'serve',
  summary: 'Run the daemon in the foreground',
  description:
    'Runs the daemon in the foreground: the API, and a port for each workload.\n\n' +
    'A daemon that already runs for the same state folder hands over and exits; its containers and ports stay.\n' +
    'Environment: THV_RUNTIME (docker, podman, process), THV_API_TOKEN, THV_SECRETS_PASSWORD, and the XDG variables.',
  flags: {
    host: { type: 'text', value: 'address', summary: 'address the API listens on', default: 'localhost' },
    port: { type: 'number', value: 'number', summary: 'port the API listens on', default: 8080, min: 0, max: 65_535 },
    stopWorkloadsOnExit: { type: 'boolean', summary: 'stop the workloads when the daemon stops' },
    allowUnsandboxed: { type: 'boolean', summary: 'without any sandbox, run servers with all your rights' },
  },
  examples: [
    { command: 'thv serve', shows: 'API at http://localhost:8080', endless: true },
    { command: 'thv serve --port 9090', shows: 'API at another port', endless: true },
  ],
  run: async ({ env, debug }, { flags }) => {
    const [{ serve: runDaemon }, { serveSettings }] = await Promise.all([
      import('../daemon/serve.ts'),
      import('../daemon/serve-settings.ts'),
    ])
    await runDaemon(serveSettings({ ...flags, debug }, env))
  },
})
