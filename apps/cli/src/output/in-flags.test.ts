import { expect, test } from 'vitest'
import { invalid } from '@toolhaven/core/errors'
import { run } from '../commands/run.ts'
import { inFlags } from './in-flags.ts'

test.each([
  [
    'server_json: a/b cannot run: nuget packages are not supported',
    'a/b cannot run: nuget packages are not supported\n"thv search WORD" finds servers that run here.',
  ],
  [
    'server_json.packages.0.transport: is missing',
    'server.json: packages.0.transport: is missing\nA small one: {"name": "example/server", "description": "…", "version": "1.0.0", "packages": [{"registryType": "npm", "identifier": "NAME", "version": "1.0.0", "transport": {"type": "stdio"}}]}',
  ],
  [
    '/r.json is not a registry: $.version: is missing; $: unknown field servers',
    '/r.json is not a registry: version: is missing; unknown field servers',
  ],
  ['permission_profile.read: must be a list', '--permission-profile.read: must be a list, such as ["/srv/data"]'],
  ['key: must not contain a comma', 'the name of a secret must not contain a comma'],
  ['proxy_port 80 belongs to the workload time', '--proxy-port 80 belongs to the workload time'],
  ['target_port is missing: a sse server needs it', '--target-port is missing: a sse server needs it'],
  ['resources.memory_mb cannot be enforced here', '--memory cannot be enforced here'],
  ['permission_profile: allow_host "x" is not a host', '--permission-profile or --allow-host: "x" is not a host'],
  ['install_hosts: "proxy_port" is not a host', '--install-host: "proxy_port" is not a host'],
  [
    'network_mode host and network_isolation exclude each other',
    '--network host and --isolate-network exclude each other',
  ],
  ['oidc: client_secret needs client_id', '--oidc-client-secret needs --oidc-client-id'],
  ['oidc: issuer or jwks_url is missing', '--oidc-issuer or --oidc-jwks-url is missing'],
  ['host "0.0.0.0" is not a loopback address', '--host "0.0.0.0" is not a loopback address'],
  ['name: must not contain ".."', '--name: must not contain ".."'],
  ['tools: time has no tool x', '--tools: time has no tool x'],
  ['volumes.0: must be absolute', '--volume: must be absolute'],
  ['allow_hosts.0: must be a host', '--allow-host: must be a host'],
  ['env_vars.A B: must be a variable name', '--env A B: must be a variable name'],
  ['labels.a b: must be letters', '--label a b: must be letters'],
  ['headers.X Y: must be a header name', '--header X Y: must be a header name'],
  ['secrets.0.target: must be a variable name', '--secret target: must be a variable name'],
  [
    'github needs the header Authorization ("Bearer " and a token): set it in headers',
    'github needs the header Authorization ("Bearer " and a token). Store it with "thv secret set NAME" and pass --header-secret Authorization=NAME',
  ],
  ['confirm it with accept_network: true (--accept-network)', 'confirm it with --accept-network'],
  [
    'brave needs BRAVE_API_KEY (a secret): set each in env_vars, or as the target of a secret',
    'brave needs BRAVE_API_KEY. Pass it with --secret NAME,target=BRAVE_API_KEY or -e BRAVE_API_KEY=VALUE',
  ],
  [
    'its authorization server a.example does not say where to log in. Set oauth_config, or a header with a token',
    'its authorization server a.example does not say where to log in. Say where with --remote-auth-issuer, or pass a stored token with --header-secret Authorization=NAME',
  ],
  [
    'oauth_config is only for remote servers; remove it',
    'flags that begin with --remote-auth are only for remote servers; remove them',
  ],
  [
    'time has opened no connections yet: "thv learn time --observe" (network_isolation_mode observe) starts to record them',
    'time has opened no connections yet: "thv learn time --observe" starts to record them',
  ],
  ['secret token not found; create it first', 'secret token not found; store it with "thv secret set token"'],
])('"%s" is told as "%s"', (told, expected) => {
  expect(inFlags(invalid(told), run.flags ?? {}).message).toBe(expected)
})

test('a command without --name calls it the name', () => {
  expect(inFlags(invalid('name: must not be empty'), { format: { type: 'boolean', summary: '' } }).message).toBe(
    'the name must not be empty',
  )
})

test('who wrote a file is told about its fields', () => {
  expect(inFlags(invalid('proxy_port 80 is taken')).message).toBe('proxy_port 80 is taken')
  expect(inFlags(invalid('workload x not found; GET /api/v1beta/workloads?all=true lists them')).message).toBe(
    'workload x not found; "thv list --all" lists them',
  )
})
