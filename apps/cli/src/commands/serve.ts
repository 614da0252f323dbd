import { Command, InvalidArgumentError, Option } from 'commander'
import { serve } from '../daemon/serve.ts'
import { environment } from '../env.ts'
import { serveSettings } from '../daemon/serve-settings.ts'

export function serveCommand(): Command {
  return new Command('serve')
    .description('Runs the daemon in the foreground: the API, and a port for each workload')
    .exitOverride()
    .addOption(new Option('--host <address>', 'address the API listens on').default('localhost'))
    .addOption(new Option('--port <number>', 'port the API listens on').default(8080).argParser(portNumber))
    .addOption(new Option('--stop-workloads-on-exit', 'stop the workloads when the daemon stops').default(false))
    .addOption(new Option('--allow-unsandboxed', 'without any sandbox, run servers with all your rights').default(false))
    .addOption(new Option('--debug', 'log more').default(false))
    .addHelpText('after', HELP)
    .action(async (flags: unknown) => serve(serveSettings(flags, environment())))
}

const HELP = `
Examples:
  $ thv serve                  API at http://localhost:8080
  $ thv serve --port 9090      another port

A daemon that already runs for the same state folder hands over and exits; its containers and ports stay.
Environment: THV_RUNTIME (docker, podman, process), THV_API_TOKEN, THV_SECRETS_PASSWORD, and the XDG variables.`

function portNumber(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('must be a port from 0 to 65535.')
  return port
}
