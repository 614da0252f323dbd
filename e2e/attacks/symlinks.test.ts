import { chown, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '@toolhaven/testing/testbed/until'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { type Home, makeHome } from '../src/home.ts'

const KEPT = 'precious\n'

async function plantVictim(home: Home, name: string): Promise<{ path: string; isChanged: () => Promise<boolean> }> {
  const path = join(home.dir, name)
  await writeFile(path, KEPT, { mode: 0o600 })
  return { path, isChanged: async () => (await readFile(path, 'utf8')) !== KEPT }
}

describeAttack('a link in the place of a file that is appended to', {
  defence: 'opening without following links',
  weaknesses: [
    {
      file: 'packages/stores/src/files/append-rotating.ts',
      find: 'constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK',
      replace: 'constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK',
    },
    {
      file: 'packages/stores/src/logs/daemon-log.ts',
      find: 'constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)',
      replace: 'constants.O_APPEND | constants.O_CREAT, 0o600)',
    },
  ],
  attack: async (build) => {
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    const [log, journal] = [await plantVictim(home, 'log'), await plantVictim(home, 'journal')]
    await mkdir(home.stateDir, { recursive: true, mode: 0o700 })
    await symlink(log.path, join(home.stateDir, 'daemon.log'))
    // A daemon that cannot write its log does not start, and says which file is in the way.
    const refused = await build.start(home).then(
      async (daemon) => void (await daemon.stop()),
      (error: unknown) => String(error),
    )
    if (refused !== undefined && !refused.includes('daemon.log')) throw new Error(refused)
    await rm(join(home.stateDir, 'daemon.log'))
    await using daemon = await build.start(home)
    await rm(join(home.stateDir, 'journal.ndjson'), { force: true })
    await symlink(journal.path, join(home.stateDir, 'journal.ndjson'))
    await daemon.api.call('createGroup', { body: { name: 'noted' } }).catch(() => undefined)
    return {
      "the daemon's log goes to another file": await log.isChanged(),
      'the journal goes to another file': await journal.isChanged(),
    }
  },
})

describeAttack('a link in the place of a state file', {
  defence: 'reading without following links',
  weaknesses: [
    {
      file: 'packages/stores/src/files/private-file.ts',
      find: 'options.followSymlink === true ? 0 : constants.O_NOFOLLOW',
      replace: '0',
    },
  ],
  attack: async (build) => {
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    const groups = join(home.stateDir, 'groups')
    {
      await using daemon = await build.start(home)
      await daemon.api.call('createGroup', { body: { name: 'planted' } })
    }
    const file = join(groups, 'planted.json')
    const elsewhere = join(home.dir, 'planted.json')
    await writeFile(elsewhere, await readFile(file), { mode: 0o600 })
    await rm(file)
    await symlink(elsewhere, file)
    await using daemon = await build.start(home)
    const { groups: found } = await daemon.api.call('listGroups', {})
    return { 'state comes from another file': found.some(({ name }) => name === 'planted') }
  },
})

describeAttack("a client's file that leads to a file of another user", {
  defence: 'the look at who owns a file before it is replaced',
  weaknesses: [
    {
      file: 'packages/stores/src/files/private-folder.ts',
      find: 'if (own === undefined || uid === own) return',
      replace: 'if (own === undefined || uid !== -1) return',
    },
  ],
  attack: async (build, context) => {
    if (process.getuid?.() !== 0) context.skip('giving a file to another user needs root')
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    const folder = join(home.dir, 'home', '.cursor')
    await mkdir(folder, { recursive: true })
    const victim = join(home.dir, 'victim.json')
    const before = '{ "mcpServers": {} }\n'
    await writeFile(victim, before)
    await chown(victim, 65_534, 65_534)
    await symlink(victim, join(folder, 'mcp.json'))
    await using daemon = await build.start(home)
    await daemon.api.call('createClient', { body: { name: 'Cursor' } }).catch(() => undefined)
    await daemon.api.call('createWorkload', { body: { name: 'planted', url: 'http://127.0.0.1:9/mcp' } })
    const isChanged = async () => (await readFile(victim, 'utf8')) !== before
    // The files of clients follow a moment later. If nothing should come, the test can only wait.
    return { 'the file is replaced': await until('the change', isChanged, 3_000).catch(() => false) }
  },
})
