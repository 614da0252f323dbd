import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { registeredClient } from '@toolhaven/contract/clients'
import { groupList } from '@toolhaven/contract/groups'
import { applyReport, diffReport } from '@toolhaven/contract/manifest'
import { workloadDetails, workloadList } from '@toolhaven/contract/workloads'
import * as z from 'zod'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { atTerminal } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld
beforeAll(async () => {
  world = await openCliWorld()
})
afterEach(async () => {
  await world.removeAll()
  await runThv(world.home, ['client', 'remove', 'cursor'])
  await runThv(world.home, ['group', 'rm', 'research', '--yes'])
})
afterAll(() => world[Symbol.asyncDispose]())

const thv = (...args: string[]) => runThv(world.home, args)
const json = async (...args: string[]): Promise<unknown> => JSON.parse((await thv(...args, '--format', 'json')).stdout)
const write = (text: string, name = 'toolhaven.yaml') => writeFile(join(world.home.dir, name), text)
const names = async () => workloadList.parse(await json('list', '--all')).workloads.map(({ name }) => name)
const DIFFERENT = { code: 1, stderr: '' }

const FULL = [
  'format: 1',
  'groups: [research]',
  'workloads:',
  '  - name: time',
  '    image: time',
  '    group: research',
  '    volumes: ["notes:/notes:ro"]',
  '    env_vars: {KEY: plain-value}',
  '  - {name: fetch, image: fetch}',
  'clients:',
  '  - {name: cursor, groups: [research]}',
  '',
].join('\n')

test('a file is shown, applied, found equal, changed, applied again and pruned', async () => {
  await mkdir(join(world.home.dir, 'notes'), { recursive: true })
  await write(FULL)
  const shown = await thv('diff', '-f', 'toolhaven.yaml')
  expect(shown).toMatchObject(DIFFERENT)
  expect(shown.stdout).toBe(
    '+ create group research\n+ create workload time\n    image: time\n+ create workload fetch\n    image: fetch\n' +
      '+ create client Cursor\n    groups: [] → ["research"]\n',
  )
  expect(await names()).toEqual([])

  const applied = await thv('apply', '-f', 'toolhaven.yaml', '--yes')
  expect(applied).toMatchObject({ code: 0 })
  expect(applied.stdout.split('\n').toSorted()).toEqual(
    [
      '',
      'client Cursor is made',
      'group research is made',
      'workload fetch is made',
      'workload time is made',
    ].toSorted(),
  )
  const time = workloadDetails.parse(await world.daemon.api.call('getWorkload', { params: { name: 'time' } }))
  expect(time).toMatchObject({ status: 'running', group: 'research', volumes: [`${world.home.dir}/notes:/notes:ro`] })
  expect(z.array(registeredClient).parse(await json('client', 'list-registered'))).toEqual([
    { name: 'Cursor', groups: ['research'] },
  ])

  expect(await thv('diff')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'Nothing differs: everything matches the file.\n',
  })
  expect(await thv('apply', '--yes')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'Nothing to change: everything matches the file.\n',
  })
  expect(applyReport.parse(await json('apply'))).toEqual({ changes: [] })

  // Somebody changes it in another way, and there is another workload next to it.
  await thv('run', 'time', '--name', 'manual')
  await thv('stop', 'fetch')
  await write(FULL.replace('plain-value', 'another-value').replace('  - {name: fetch, image: fetch}\n', ''))
  const differing = await thv('diff', '--prune', '--format', 'json')
  expect(differing).toMatchObject(DIFFERENT)
  expect(differing.stdout).not.toContain('-value')
  expect(diffReport.parse(JSON.parse(differing.stdout))).toEqual({
    equal: false,
    changes: [
      { action: 'update', kind: 'workload', name: 'time', fields: [{ field: 'env_vars.KEY' }] },
      { action: 'remove', kind: 'workload', name: 'fetch', fields: [] },
    ],
  })
  const report = applyReport.parse(await json('apply', '--prune', '--yes'))
  expect(report.changes.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(['time done', 'fetch done'])
  expect(await names()).toEqual(['manual', 'time'])
  expect((await world.daemon.api.call('getWorkload', { params: { name: 'time' } })).env_vars).toMatchObject({
    KEY: 'another-value',
  })

  const all = await runThv(world.home, ['apply', '-f', '-', '--prune-all', '--yes'], { input: 'format: 1\n' })
  expect(all).toMatchObject({ code: 0 })
  expect(await names()).toEqual([])
  expect(groupList.parse(await json('group', 'list')).groups).toEqual([{ name: 'default', registered_clients: [] }])
})

test('every fault of a file is told with its line, and nothing is done', async () => {
  await write('format: 1\ngroups: [UPPER]\nworkloads:\n  - {name: time, imagee: time}\n')
  const { code, stdout, stderr } = await thv('apply', '--yes')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(
    /^thv: toolhaven.yaml has 3 faults; nothing was changed:\n {2}line 2, column 10: groups\[0\]: must be lower case\n {2}line 4, column 5: workloads\[0\]: needs image or url\n {2}line 4, column 18: workloads\[0\]\.imagee: unknown field; did you mean image\?\n$/,
  )
  expect(await names()).toEqual([])
  expect(await thv('diff', '-f', 'nowhere.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nowhere.yaml cannot be read'),
  })
})

test('what fails is told for each, and the rest is done all the same', async () => {
  await write(
    'format: 1\nworkloads:\n  - {name: broken, image: "npx://surely-not-there@1.0.0"}\n' +
      '  - {name: keyless, image: time, secrets: [{name: nope, target: KEY}]}\n  - {name: time, image: time}\n',
  )
  const { code, stdout, stderr } = await thv('apply', '--yes')
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'workload time is made\n' })
  expect(stderr).toContain('thv: 2 of 3 changes failed')
  expect(stderr).toMatch(/ {2}workload broken: broken: .*surely-not-there/)
  expect(stderr).toMatch(/ {2}workload keyless: /)
})

test('without --yes a terminal is asked, and without a terminal nothing is done', async () => {
  await write('format: 1\nworkloads:\n  - {name: time, image: time}\n')
  expect(await thv('apply')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('add --yes') })
  const refused = await atTerminal(world.home, ['apply'], [['Make this change?', '\r']])
  expect(refused).toMatchObject({ code: 1, screen: expect.stringContaining('nothing was changed') })
  expect(await names()).toEqual([])
  const agreed = await atTerminal(world.home, ['apply'], [['Make this change?', 'y\r']])
  expect(agreed).toMatchObject({ code: 0, screen: expect.stringContaining('workload time is made') })
})

test('a mistyped image of a workload that runs is refused with the name that was meant, and changes nothing', async () => {
  await write('format: 1\nworkloads:\n  - {name: clock, image: time}\n')
  expect(await thv('apply', '--yes')).toMatchObject({ code: 0 })
  const before = workloadDetails.parse(await world.daemon.api.call('getWorkload', { params: { name: 'clock' } }))
  for (const port of ['', `, proxy_port: ${before.port === 10_000 ? 10_001 : 10_000}`]) {
    await write(`format: 1\nworkloads:\n  - {name: clock, image: tiem${port}}\n`)
    const refused = await thv('apply', '--yes')
    expect(refused.code).not.toBe(0)
    expect(refused.stdout + refused.stderr).toContain('The registry has no "tiem". Did you mean "time"?')
    expect(workloadDetails.parse(await world.daemon.api.call('getWorkload', { params: { name: 'clock' } }))).toEqual(
      before,
    )
  }
})
