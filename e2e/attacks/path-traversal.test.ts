import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DaemonProcess } from '../src/daemon-process.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { makeHome } from '../src/home.ts'
import { rawCall } from '../src/raw-call.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

const post = (daemon: DaemonProcess, path: string, body: object) =>
  rawCall(daemon, `/api/v1beta${path}`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) })

const isThere = (path: string) =>
  readFile(path).then(
    () => true,
    () => false,
  )

describeAttack('a name that is a path', {
  defence: 'the grammar of names, and what stands behind it at the files',
  weaknesses: [
    {
      file: 'packages/contract/src/names.ts',
      find: '/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,',
      replace: '/^[^]{1,100}$/,',
    },
    {
      file: 'packages/contract/src/names.ts',
      find: ".refine((name) => !name.includes('..'), 'must not contain \"..\"')",
      replace: '',
    },
    {
      file: 'packages/stores/src/files/record-store.ts',
      find: "if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(stem) || stem.includes('..')) {",
      replace: 'if (stem === "") {',
    },
  ],
  attack: async (build) => {
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    await using daemon = await build.start(home)
    // Two folders above the records, so the attacker's file would be next to the state, not in it.
    const above = (name: string) => isThere(join(home.dir, 'state', `${name}.json`))
    await post(daemon, '/workloads', { name: '../../workload', url: 'http://127.0.0.1:9/mcp' })
    await post(daemon, '/groups', { name: '../../group' })
    const victim = join(home.dir, 'state', 'victim.json')
    await writeFile(victim, '{}')
    await post(daemon, '/groups', { name: '../../victim' })
    const names = ['..', '.', String.raw`a\b`, '%2e%2e', 'con:stream', ' ', '.hidden']
    const odd: Record<string, boolean> = {}
    for (const name of names) odd[`a group called "${name}"`] = (await post(daemon, '/groups', { name })).status === 201
    return {
      'a workload writes outside the state folder': await above('workload'),
      'a group writes outside the state folder': await above('group'),
      'a group replaces a file of somebody else': (await readFile(victim, 'utf8')) !== '{}',
      ...odd,
    }
  },
})

describeAttack('a file that a request names', {
  defence: 'the bound of the configuration folder',
  weaknesses: [
    {
      file: 'packages/stores/src/host/host.ts',
      find: "if (way === '' || way === '..' || way.startsWith('../') || isAbsolute(way) || asked.includes('\\0')) {",
      replace: 'if (way === "") {',
    },
  ],
  attack: async (build) => {
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    await using daemon = await build.start(home)
    const policy = {
      version: '1.0',
      type: 'cedarv1',
      cedar: { policies: ['permit(principal, action, resource);'], entities_json: '[]' },
    }
    const outside = join(home.dir, 'outside.json')
    await writeFile(outside, JSON.stringify(policy))
    const folder = join(home.dir, 'config', 'toolhaven')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await symlink(outside, join(folder, 'link.json'))
    const gains: Record<string, boolean> = {}
    const ways = ['../../outside.json', outside, './../../outside.json', 'x/../../../outside.json', 'link.json']
    for (const [at, authz_config] of ways.entries()) {
      const body = { name: `reader-${at}`, url: 'http://127.0.0.1:9/mcp', authz_config }
      gains[`reads ${authz_config.replace(home.dir, '')}`] = (await post(daemon, '/workloads', body)).status === 201
    }
    return gains
  },
})
