import { type FlagDef, type FlagValues, FORMAT_FLAG } from '../command.ts'
import { LIMIT_FLAGS } from './limit-flags.ts'
import { OTEL_FLAGS } from './otel-flags.ts'
import { OIDC_FLAGS, REMOTE_AUTH_FLAGS } from './remote-auth-flags.ts'

/** The flags of `thv run`. Each is a field of the request to create a workload. */
export const RUN_FLAGS = {
  name: { type: 'text', value: 'name', summary: 'name of the workload (default: derived from the server name)' },
  group: { type: 'text', short: 'g', value: 'name', summary: 'group of the workload (default: default)' },
  transport: {
    type: 'text',
    value: 'kind',
    summary: 'transport of the server: stdio, sse or streamable-http',
    choices: ['stdio', 'sse', 'streamable-http'],
  },
  proxyMode: {
    type: 'text',
    value: 'kind',
    summary: 'transport for clients of a stdio server: sse or streamable-http',
    choices: ['sse', 'streamable-http'],
  },
  sessionMode: {
    type: 'text',
    value: 'mode',
    summary:
      'how clients share a stdio server: auto (shared until it asks them something), shared, or isolated (one for each session)',
    choices: ['auto', 'shared', 'isolated'],
  },
  ...LIMIT_FLAGS,
  proxyPort: {
    type: 'number',
    value: 'port',
    summary: 'port that clients connect to (default: a free one)',
    min: 1,
    max: 65_535,
  },
  targetPort: {
    type: 'number',
    value: 'port',
    summary: 'port that an sse or streamable-http server listens on',
    min: 1,
    max: 65_535,
  },
  folder: {
    type: 'text',
    value: 'folder',
    summary: 'run your own server in this folder; -- COMMAND says how to start it',
  },
  write: { type: 'boolean', summary: 'let the server change its own folder' },
  watch: { type: 'boolean', summary: 'restart the server when a file in its folder changes' },
  host: { type: 'text', value: 'address', summary: 'address that the port listens on (default: 127.0.0.1)' },
  env: {
    type: 'list',
    short: 'e',
    value: 'KEY=VALUE',
    summary: 'variable for the server; KEY alone passes on your own; may be repeated',
  },
  envFile: {
    type: 'list',
    value: 'file',
    summary:
      'file of variables, one KEY=VALUE per line; may be repeated; npx takes it for itself, so write "npx -- thv run …"',
  },
  volume: {
    type: 'list',
    short: 'v',
    value: 'host:container[:ro]',
    summary: 'file or folder that the server may use; may be repeated',
  },
  ignoreGlobally: {
    type: 'text',
    value: 'true|false',
    summary: 'whether your own ignore file hides files in volumes, in addition to their .thvignore (default: true)',
    choices: ['true', 'false'],
  },
  printOverlays: { type: 'boolean', summary: 'list hidden files in the log of the workload' },
  secret: {
    type: 'list',
    value: 'NAME,target=VAR',
    summary: 'stored secret to pass as a variable; may be repeated',
    completes: 'secret',
  },
  tools: { type: 'list', value: 'names', summary: 'offer only these tools, separated by commas; may be repeated' },
  network: {
    type: 'text',
    value: 'mode',
    summary:
      'isolated (default): its own network, whose only way out is the egress gate; host: the network of this machine, including local services',
    choices: ['isolated', 'host'],
  },
  allowHost: {
    type: 'list',
    value: 'host[:port]',
    summary:
      'host to add to the permission profile; a service of this machine or a private network needs its port, such as localhost:5432; may be repeated',
  },
  isolateNetwork: {
    type: 'boolean',
    summary: 'the default; excludes --network host',
  },
  observeNetwork: {
    type: 'boolean',
    summary: 'allow every public host and record what is used; "thv learn" derives a profile from it',
  },
  toolsChanged: {
    type: 'text',
    value: 'mode',
    summary: 'what happens when accepted tools, prompts or instructions change: warn or block (default: warn)',
    choices: ['warn', 'block'],
  },
  toolsOverride: { type: 'text', value: 'file', summary: 'JSON file with other names and descriptions for tools' },
  authzConfig: {
    type: 'text',
    value: 'file',
    summary: 'JSON file with Cedar policies that decide which calls are allowed',
  },
  auditConfig: { type: 'text', value: 'file', summary: 'JSON file that says which calls are recorded, and where' },
  enableAudit: { type: 'boolean', summary: 'record all calls in the output of the daemon' },
  permissionProfile: {
    type: 'text',
    value: 'none|network|file',
    summary: 'permission profile of the server: what it may reach, read and write',
  },
  acceptNetwork: {
    type: 'boolean',
    summary:
      'accept private and loopback addresses, and the network of this machine, that a registry entry, a configuration file or a login asks for',
  },
  acceptMounts: {
    type: 'boolean',
    summary: 'accept the mounts that a registry entry or a configuration file asks for',
  },
  installHost: {
    type: 'list',
    value: 'host',
    summary:
      'host that an install may reach in addition to the package index; a private host needs its port; may be repeated',
  },
  imageVerification: {
    type: 'text',
    value: 'mode',
    summary:
      'check that the image is signed as the registry says: warn, enabled (otherwise it does not start) or disabled (default: warn)',
    choices: ['warn', 'enabled', 'disabled'],
  },
  label: { type: 'list', short: 'l', value: 'key=value', summary: 'label of the workload; may be repeated' },
  header: { type: 'list', value: 'NAME=VALUE', summary: 'header sent to a remote server; may be repeated' },
  headerSecret: {
    type: 'list',
    value: 'HEADER=NAME',
    summary: 'header of a remote server whose value is the stored secret NAME; may be repeated',
  },
  ...REMOTE_AUTH_FLAGS,
  ...OIDC_FLAGS,
  memory: {
    type: 'text',
    value: 'size',
    summary: 'memory limit, such as 512m or 2g (refused if it cannot be enforced)',
  },
  cpus: {
    type: 'number',
    value: 'number',
    summary: 'CPU limit in cores, such as 0.5 (refused if it cannot be enforced)',
    min: 0.01,
    max: 1024,
  },
  pids: {
    type: 'number',
    value: 'number',
    summary: 'maximum number of processes and threads (refused if it cannot be enforced)',
    min: 8,
    max: 1_000_000,
  },
  ...OTEL_FLAGS,
  fromConfig: { type: 'text', value: 'file', summary: 'run a file that "thv export" wrote' },
  acceptSecrets: {
    type: 'boolean',
    summary: 'give the server the secrets that the --from-config file names',
  },
  noWait: { type: 'boolean', summary: 'return immediately and start in the background' },
  keep: { type: 'boolean', summary: 'keep the workload if its server does not start' },
  ...FORMAT_FLAG,
} as const satisfies Record<string, FlagDef>

export type RunFlags = FlagValues<typeof RUN_FLAGS>
