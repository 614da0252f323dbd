import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const serve = defineCommand({
  words: 'serve',
  summary: 'Run the daemon in the foreground, stop it, or install it as a service',
  description:
    'Runs the daemon in the foreground: the API, and a port for each workload.\n\n' +
    'If a daemon already runs for the same state folder, it hands over and exits. Its containers and ports stay.\n' +
    'Commands that need a daemon start one in the background, with --on-demand. --stop ends the daemon, however it was started.\n' +
    'Environment: THV_RUNTIME (docker, podman, process), THV_PORT, THV_API_TOKEN, THV_SECRETS_PASSWORD, and the XDG variables.\n\n' +
    'With --install, the daemon becomes a service that starts automatically, with all workloads that were running: a unit of ' +
    "your own systemd instance on Linux (of the machine's if you are root), a launch agent on macOS. It starts " +
    'with the other options that you pass, and with the settings of this shell for folders, engine, proxies and package ' +
    'indexes. Secrets are never written to it.\n\n' +
    '--uninstall stops and removes the service, and keeps workloads and settings. With --purge it removes everything: ' +
    'entries in client files, workloads, their containers, built images, secrets, settings, logs and caches.',
  flags: {
    host: { type: 'text', value: 'address', summary: 'address the API listens on', default: 'localhost' },
    port: {
      type: 'number',
      value: 'number',
      summary: 'port the API listens on (default: THV_PORT, then "thv config get-port", then 8080)',
      min: 0,
      max: 65_535,
    },
    stopWorkloadsOnExit: { type: 'boolean', summary: 'stop the workloads when the daemon stops' },
    allowUnsandboxed: { type: 'boolean', summary: 'run servers even where no sandbox hides your files from them' },
    onDemand: {
      type: 'boolean',
      summary: 'exit if a daemon already runs, and start without the port while it is taken',
    },
    stop: { type: 'boolean', summary: 'stop the running daemon; containers keep running' },
    install: { type: 'boolean', summary: 'make it a service that starts automatically' },
    uninstall: { type: 'boolean', summary: 'stop and remove that service' },
    purge: { type: 'boolean', summary: 'with --uninstall: remove everything that Toolhaven has made' },
    yes: { type: 'boolean', short: 'y', summary: 'with --purge: do not ask' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv serve', shows: 'API at http://localhost:8080', endless: true },
    { command: 'thv serve --port 9090', shows: 'API at another port', endless: true },
    { command: 'thv serve --stop', shows: 'ends the daemon, even in the background' },
    { command: 'thv serve --install', shows: 'starts the daemon now and whenever the machine starts' },
    { command: 'thv serve --uninstall', shows: 'removes the service; workloads and settings stay' },
    { command: 'thv serve --uninstall --purge', shows: 'asks, then removes everything' },
  ],
  run: async (context, { flags }) => {
    const { env, debug } = context
    const wrong = misuse(flags)
    if (wrong !== undefined) {
      const { invalid } = await import('@toolhaven/core/errors')
      throw invalid(wrong)
    }
    if (flags.stop) {
      const { runStop } = await import('../service/run-stop.ts')
      return runStop(context, flags)
    }
    if (flags.install) {
      const { runInstall } = await import('../service/run-install.ts')
      return runInstall(context, { ...flags, debug })
    }
    if (flags.uninstall) {
      const { runUninstall } = await import('../service/run-uninstall.ts')
      return runUninstall(context, flags)
    }
    const [{ serve: runDaemon }, { serveSettings }] = await Promise.all([
      import('../daemon/serve.ts'),
      import('../daemon/serve-settings.ts'),
    ])
    await runDaemon(serveSettings({ ...flags, debug }, env))
  },
})

function misuse(
  flags: Readonly<Record<'stop' | 'install' | 'uninstall' | 'purge' | 'yes', boolean>>,
): string | undefined {
  if (flags.stop && (flags.install || flags.uninstall))
    return '--stop excludes --install and --uninstall; --uninstall stops the service too'
  if (flags.install && flags.uninstall) return '--install and --uninstall exclude each other; pass one of them'
  if (flags.purge && !flags.uninstall) return '--purge needs --uninstall; pass both to remove everything'
  if (flags.yes && !flags.purge) return '--yes needs --purge; remove it'
  return undefined
}
