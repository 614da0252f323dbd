import { defineCommand } from '../command.ts'
import { ownProgramHint } from '../run/own-program.ts'
import { RUN_FLAGS } from '../run/run-flags.ts'

const DETACHED = 'The server keeps running when "thv run" ends. To return before the server answers, use --no-wait.'
const PORTS = '--proxy-port is the port that clients connect to, and --target-port the one that the server listens on.'
const NO_TERMINAL = 'Servers need no terminal. Remove the option.'

export const run = defineCommand({
  words: 'run',
  summary: 'Run an MCP server',
  description:
    'Runs an MCP server in isolation, waits until it answers, and prints the address for clients.\n\n' +
    'SERVER is one of\n' +
    '  a name from the registry       time ("thv search" finds names)\n' +
    '  a package                      npx://NAME, uvx://NAME, go://MODULE\n' +
    '  a container image              registry.example.com/team/server:1.0\n' +
    '  the URL of a remote server     https://example.com/mcp\n' +
    '  a folder with your own server  ./server\n' +
    '  an MCP registry file           ./server.json\n\n' +
    'If the server does not start, its last lines are printed and the workload is removed, unless you pass --keep. ' +
    'A remote server that cannot be reached is kept, and tried again.\n\n' +
    'Words after -- are passed to the server. Paths are relative to your working directory.\n\n' +
    'Your own server runs in the sandbox while you develop it. For an npm project (package.json) or a Python project (pyproject.toml, ' +
    'requirements.txt), Toolhaven reads how to start it, and installs its dependencies into the cache. For other projects, pass the ' +
    'command: thv run --folder . -- node server.js. The server can read its folder, except the files that .thvignore hides. --write lets it change files ' +
    'there, and --watch restarts it when you do.\n\n' +
    'Every server has its own network. It reaches the hosts that its permission profile allows (by default every public ' +
    'host), and a service of this machine or of a private network only if --allow-host HOST:PORT names it. Programs that use ' +
    'the proxy variables reach every port that the profile allows. Other programs reach common ports and those that the ' +
    'profile lists; their connections to other ports fail, and so does UDP other than DNS. --network host gives the server the network ' +
    'of this machine instead, including all services on it.',
  args: [
    { name: 'server', summary: 'what to run', completes: 'server' },
    {
      name: 'args',
      summary: 'arguments of the server, after --',
      variadic: true,
      afterDashes: (words) => ownProgramHint(words),
    },
  ],
  flags: RUN_FLAGS,
  usageHint: 'Options of the server follow "--": thv run SERVER -- --verbose.',
  foreignOptions: {
    '-d': DETACHED,
    '--detach': DETACHED,
    '-p': PORTS,
    '--publish': PORTS,
    '--port': PORTS,
    '-i': NO_TERMINAL,
    '-t': NO_TERMINAL,
    '-it': NO_TERMINAL,
    '--rm': 'A workload stays until you remove it with "thv rm NAME". Remove the option.',
  },
  examples: [
    { command: 'thv run time', shows: 'a server from the registry' },
    { command: 'thv run npx://@modelcontextprotocol/server-everything --name everything', shows: 'a package from npm' },
    { command: 'thv run time --name time-offline --permission-profile none', shows: 'without any network' },
    {
      command: 'thv run fetch --name fetch-local --allow-host localhost:5432',
      shows: 'with one service of this machine',
    },
    {
      command: 'thv run time --name time-here --network host --permission-profile network',
      shows: 'on the network of this machine, without network isolation',
    },
    { command: 'thv run fetch --name fetch-watched --observe-network', shows: 'to learn which hosts it needs' },
    { command: 'thv run time --tools get_current_time --label team=docs', shows: 'with only one of its tools' },
    { command: 'thv run fetch --env HTTP_TIMEOUT=5 -- --ignore-robots-txt', shows: 'with a variable and an argument' },
    { command: 'thv run time --name notes --volume ./notes:/notes:ro', shows: 'with a folder it may read' },
    {
      command: 'thv run time --name time-watched --otel-enable-prometheus-metrics-path',
      shows: 'with metrics for Prometheus at /metrics of its port',
    },
    {
      command: 'thv run time --name time-each --session-mode isolated --max-sessions 4',
      shows: 'with its own server for each client session, at most four',
    },
    { command: 'thv run ./hello --watch', shows: 'your own server, restarted when you save' },
    {
      command: 'thv run --folder ./hello --name hello-again -- node index.js',
      shows: 'with the command that starts it',
    },
    { command: 'thv run --from-config time.json', shows: 'a file that "thv export" wrote' },
  ],
  run: async (context, { args, flags }) => {
    const { startWorkload } = await import('../run/start-workload.ts')
    await startWorkload(context, args, flags)
  },
})
