import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { upgradeList } from '@toolhaven/contract/upgrades'
import { type PackageRegistry, startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DaemonProcess, startDaemon } from './src/daemon-process.ts'
import { type Home, makeHome } from './src/home.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { atTerminal } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'
import { UPGRADED_PACKAGE, writeUpgradedPackage, writeUpgradeRegistry } from './src/upgraded-package.ts'

const LAST_WORDS = 'version 3 needs a database\u001B[2J'

const cleanUp = new AsyncDisposableStack()
let folder: string
let packages: PackageRegistry
let home: Home
let daemon: DaemonProcess
/** Delays the fetch of a package. */
let beforeTarball = async (_path: string): Promise<void> => {}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-upgrade-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }))
  packages = cleanUp.use(
    await startPackageRegistry([await writeVersion('1.0.0')], {
      beforeTarball: (path) => beforeTarball(path),
    }),
  )
  home = cleanUp.use(await makeHome({ env: { THV_RUNTIME: 'process', npm_config_registry: packages.url } }))
  daemon = await startDaemon(home)
  cleanUp.defer(() => daemon[Symbol.asyncDispose]())
  await useRegistry('1.0.0')
})
afterAll(() => cleanUp.disposeAsync())

const thv = (...args: string[]) => runThv(home, args)
const details = (name: string) => daemon.api.call('getWorkload', { params: { name } })

const writeVersion = (version: string, content = {}) => writeUpgradedPackage(folder, version, content)

/** From then on the registry names this version. */
async function useRegistry(version: string, more: object = {}): Promise<void> {
  const local_path = await writeUpgradeRegistry(folder, version, more)
  await daemon.api.call('updateRegistry', { params: { name: 'default' }, body: { local_path } })
}

/** What a client finds at the workload's address. */
async function serverSays(name: string): Promise<{ version: string; variables: object; tools: string[] }> {
  await using mcp = await connectMcp((await details(name)).url)
  const variables = JSON.parse(await callText(mcp, 'env'))
  return { version: variables.SERVER_VERSION, variables, tools: await mcp.toolNames() }
}

test('a server is upgraded with its new variable and tool, and goes back from a version that does not start', async () => {
  await thv('run', 'notes', '--tools-changed', 'block')
  const { url } = await details('notes')
  expect(await serverSays('notes')).toMatchObject({ version: '1.0.0' })
  expect(await thv('upgrade', 'notes', '--yes')).toMatchObject({
    code: 0,
    stderr: 'notes has the newest version already.\n',
  })

  await packages.publish(await writeVersion('2.0.0', { tools: { extra: { description: 'new' } } }))
  await useRegistry('2.0.0', {
    tools: ['echo', 'env', 'extra'],
    env_vars: [{ name: 'REGION', description: 'Where\u001B[2J', required: true }],
    permissions: { network: { outbound: { allow_host: ['example.com'], allow_port: [443] } } },
  })
  const checked = await thv('upgrade', '--check')
  expect(checked.code).toBe(0)
  expect(checked.stdout).toMatch(/^NAME +SOURCE +VERSION +NEWEST.*\nnotes +registry +1\.0\.0 +2\.0\.0\n$/)
  const { upgrades } = upgradeList.parse(JSON.parse((await thv('upgrade', '--check', '--format', 'json')).stdout))
  expect(upgrades).toEqual([{ name: 'notes', state: 'available', source: 'registry', from: '1.0.0', to: '2.0.0' }])

  // Without the variable that it needs, nothing happens to it.
  const lacking = await thv('upgrade', 'notes', '--yes')
  expect(lacking).toMatchObject({ code: 1, stdout: '' })
  expect(lacking.stderr).toContain('new variable REGION (required): Where')
  expect(lacking.stderr).toContain('new tool extra')
  expect(lacking.stderr).toMatch(/permission_profile: .*example\.com/)
  expect(lacking.stderr).toMatch(/needs REGION.*-e REGION=/)
  expect(lacking.stderr).not.toContain('\u001B')
  expect(await serverSays('notes')).toMatchObject({ version: '1.0.0' })

  const agreed = ['upgrade', 'notes', '--env', 'REGION=here']
  const unconfirmed = await thv(...agreed, '--yes')
  expect(unconfirmed).toMatchObject({ code: 1, stdout: '' })
  expect(unconfirmed.stderr).toContain(
    'asks to reach example.com:443, which the present one may not; confirm it with --accept-network',
  )
  expect(await serverSays('notes')).toMatchObject({ version: '1.0.0' })
  expect(
    await atTerminal(home, agreed, [['Upgrade notes, 1.0.0 → 2.0.0, and let it reach that?', 'n\r']]),
  ).toMatchObject({
    code: 1,
    screen: expect.stringContaining('the new version asks to reach example.com:443'),
  })
  const change = [...agreed, '--accept-network']
  const unasked = await thv(...change)
  expect(unasked).toMatchObject({ code: 2, stdout: '' })
  for (const told of [
    'notes: 1.0.0 → 2.0.0',
    'new variable REGION',
    'new tool extra',
    'add --yes',
    'Nothing was changed.',
  ])
    expect(unasked.stderr).toContain(told)
  expect(await atTerminal(home, change, [['Upgrade notes, 1.0.0 → 2.0.0?', 'n\r']])).toMatchObject({ code: 1 })
  expect(await serverSays('notes')).toMatchObject({ version: '1.0.0' })
  const done = await thv(...change, '--yes')
  expect(done).toMatchObject({ code: 0, stdout: 'notes is upgraded: 1.0.0 → 2.0.0\n' })
  expect(done.stderr).toContain('Its tools differ from the ones you accepted: extra added\n')
  expect(done.stderr).toContain('"thv tools diff notes" shows how, and "thv tools accept notes" accepts them.')
  expect(await details('notes')).toMatchObject({ url, package: `npx://${UPGRADED_PACKAGE}@2.0.0` })
  const second = await serverSays('notes')
  expect(second).toMatchObject({ version: '2.0.0', variables: { REGION: 'here' } })
  // An upgrade accepts nothing: the new tool is withheld until somebody does.
  expect(second.tools).not.toContain('extra')
  expect((await thv('tools', 'accept', 'notes', '--yes')).code).toBe(0)
  expect((await serverSays('notes')).tools).toContain('extra')

  const dies = { start: `process.stderr.write(${JSON.stringify(`${LAST_WORDS}\n`)}); process.exit(1)` }
  await packages.publish(await writeVersion('3.0.0', dies))
  await useRegistry('3.0.0', { tools: ['echo'] })
  const before = await daemon.api.call('exportWorkload', { params: { name: 'notes' } })
  const failed = await thv('upgrade', 'notes', '--yes')
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toMatch(/notes went back to 2\.0\.0: 3\.0\.0 did not start: .*exited with code 1/)
  expect(failed.stderr).toMatch(/^ {2}version 3 needs a database/m)
  expect(failed.stderr).not.toContain('\u001B')
  expect(await daemon.api.call('exportWorkload', { params: { name: 'notes' } })).toEqual(before)
  const third = await serverSays('notes')
  expect(third).toMatchObject({ version: '2.0.0', variables: { REGION: 'here' } })
  expect(third.tools).toContain('extra')
  expect((await thv('logs', 'notes')).stdout).toContain('the previous version is back in force')
})

test('an upgrade whose daemon is killed is brought to its end by the next one', async () => {
  const dies = { start: `process.stderr.write('no\\n'); process.exit(1)` }
  await packages.publish(await writeVersion('3.1.0', dies))
  await useRegistry('3.1.0')
  const isAsked = Promise.withResolvers<void>()
  const isFree = Promise.withResolvers<void>()
  beforeTarball = (path) => {
    if (path.includes('3.1.0')) isAsked.resolve()
    return isFree.promise
  }
  const upgrading = thv('upgrade', 'notes', '--yes')
  await isAsked.promise
  await daemon.kill()
  isFree.resolve()
  expect((await upgrading).code).not.toBe(0)
  daemon = await startDaemon(home)
  await expect
    .poll(async () => (await details('notes')).package, { timeout: 120_000 })
    .toBe(`npx://${UPGRADED_PACKAGE}@2.0.0`)
  await expect.poll(async () => (await details('notes')).status, { timeout: 120_000 }).toBe('running')
  expect(await serverSays('notes')).toMatchObject({ version: '2.0.0', variables: { REGION: 'here' } })
})

test('npm is asked for what did not come from the registry, and a source that is away leaves the rest', async () => {
  await thv('run', `npx://${UPGRADED_PACKAGE}@1.0.0`, '--name', 'old', '--permission-profile', 'none')
  await packages.publish(await writeVersion('4.0.0'))
  await thv('upgrade', 'old', '--yes', '--format', 'json').then(({ code, stdout }) => {
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      results: [{ name: 'old', outcome: 'upgraded', from: '1.0.0', to: '4.0.0' }],
      failures: [],
    })
  })
  expect(await serverSays('old')).toMatchObject({ version: '4.0.0' })
  await packages[Symbol.asyncDispose]()
  const checked = await thv('upgrade', '--check')
  expect(checked.code).toBe(0)
  expect(checked.stdout).toMatch(/^notes +registry /m)
  expect(checked.stdout).toMatch(/^old +npm +4\.0\.0 +unknown .*could not be reached/m)
  for (const consent of [['--yes'], []]) {
    const wrong = await thv('upgrade', 'odl', ...consent)
    expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('Did you mean old?') })
  }
})
