import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SCHEMA_VERSION } from '@toolhaven/contract/run-config'
import { until } from '@toolhaven/testing/testbed/until'
import type { Build } from '../src/attacks/build.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import type { DaemonProcess } from '../src/daemon-process.ts'
import type { Home } from '../src/home.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { usePlatform } from '../src/platform.ts'
import { rawCall } from '../src/raw-call.ts'
import { listNames, untilStatus } from '../src/statuses.ts'

const platform = usePlatform('process')

interface Scene {
  build: Build
  home: Home
  daemon: DaemonProcess
  image: string
  /** The text that contains two more options for the sandbox. */
  poison: string
}

/** Each brings the poisoned text to a workload in another way. `name` is the workload's name. */
const WAYS: Readonly<Record<string, (scene: Scene, name: string) => Promise<unknown>>> = {
  'a variable of a new workload': ({ daemon, image, poison }, name) =>
    send(daemon, 'POST', '/workloads', { name, image, env_vars: { A: poison } }),
  'a variable of an edited workload': async ({ daemon, image, poison }, name) => {
    await send(daemon, 'POST', '/workloads', { name, image })
    await send(daemon, 'POST', `/workloads/${name}/stop`)
    await untilStatus(daemon, name, 'stopped')
    return send(daemon, 'POST', `/workloads/${name}/edit`, { image, env_vars: { A: poison } })
  },
  'an imported configuration': ({ daemon, image, poison }, name) => {
    const config = { schema_version: SCHEMA_VERSION, name, image, transport: 'stdio', env_vars: { A: poison } }
    return send(daemon, 'POST', '/workloads/import', config)
  },
  'the value of a secret': async ({ daemon, image, poison }, name) => {
    await send(daemon, 'POST', '/secrets/default/keys', { key: 'poisoned', value: poison })
    return send(daemon, 'POST', '/workloads', { name, image, secrets: [{ name: 'poisoned', target: 'A' }] })
  },
  'a default in a registry': async ({ daemon, home, image, poison }, name) => {
    const variable = { name: 'A', description: 'A', required: false, default: poison }
    const server = { image, description: 'd', tier: 'Community', status: 'active', transport: 'stdio', tools: ['t'] }
    const servers = { poisoned: { ...server, env_vars: [variable] } }
    const local_path = join(home.dir, 'registry.json')
    await writeFile(local_path, JSON.stringify({ version: '1.0.0', last_updated: '2026-01-15T00:00:00Z', servers }))
    await send(daemon, 'PUT', '/registry/default', { local_path })
    return send(daemon, 'POST', '/workloads', { name, image: 'poisoned' })
  },
  'an adopted entry of a client': async ({ daemon, home, image, poison }, name) => {
    const file = join(home.env['HOME'] ?? '', '.cursor', 'mcp.json')
    await mkdir(dirname(file), { recursive: true })
    const entry = { command: 'npx', args: ['-y', image.replace('npx://', '')], env: { A: poison } }
    await writeFile(file, JSON.stringify({ mcpServers: { [name]: entry } }))
    return send(daemon, 'POST', '/discovery/servers/adopt', { name })
  },
  'an applied file': async ({ build, home, image, poison }, name) => {
    const workloads = [{ name, image, env_vars: { A: poison } }]
    const file = join(home.dir, 'apply.yaml')
    await writeFile(file, JSON.stringify({ format: 1, workloads }))
    return build.thv(home, ['apply', '-f', file, '--yes'])
  },
}

describeAttack('a NUL that ends one option of the sandbox and begins another', {
  defence: 'the check of the characters in texts from outside',
  weaknesses: [
    {
      file: 'packages/contract/src/text.ts',
      find: "text.includes('\\0')",
      replace: 'false',
    },
  ],
  attack: async (build, context) => {
    const here = platform(context)
    const victim = await mkdtemp(join(tmpdir(), 'thv-victim-'))
    await writeFile(join(victim, 'diary'), 'dear diary')
    const poison = ['x', '--ro-bind', victim, '/tmp/leak'].join('\0')
    const gains: Record<string, boolean> = {}
    try {
      await using home = await here.makeHome()
      await using daemon = await build.start(home)
      // Values of adopted variables go to the secret store.
      await send(daemon, 'POST', '/secrets', { provider_type: 'encrypted', password: 'correct horse' })
      for (const [at, [way, bring]] of Object.entries(WAYS).entries()) {
        await bring({ build, home, daemon, image: here.fixture, poison }, `w${at}`)
        gains[`a folder is mounted by ${way}`] = await readsDiary(daemon, `w${at}`)
      }
    } finally {
      await rm(victim, { recursive: true, force: true })
    }
    return gains
  },
})

async function readsDiary(daemon: DaemonProcess, name: string): Promise<boolean> {
  // Refused before there was a workload.
  if (!(await listNames(daemon)).includes(name)) return false
  const status = await until(
    'the workload to run, or not',
    async () => {
      const workload = await daemon.api.call('getWorkload', { params: { name } })
      return ['running', 'stopped', 'error', 'unhealthy'].includes(workload.status) ? workload : undefined
    },
    90_000,
  )
  if (status.status !== 'running') return false
  await using connection = await connectMcp(status.url)
  const script = 'try { console.log(fs.readFileSync("/tmp/leak/diary", "utf8")) } catch {}'
  return (await callText(connection, 'run', { command: ['node', '-e', script] })).includes('dear diary')
}

async function send(daemon: DaemonProcess, method: string, path: string, body?: object): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const answer = await rawCall(daemon, `/api/v1beta${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return `${answer.status} ${answer.body}`
}
