import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DoctorReport, doctorReport } from '@toolhaven/contract/doctor'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld
beforeAll(async () => {
  world = await openCliWorld()
})
afterEach(() => world.removeAll())
afterAll(() => world[Symbol.asyncDispose]())

const thv = (...args: string[]) => runThv(world.home, args)
const examine = async (...args: string[]) => {
  const { code, stdout } = await thv('doctor', ...args, '--format', 'json')
  return { code, report: doctorReport.parse(JSON.parse(stdout)) }
}
const statusOf = (checks: DoctorReport['machine']['checks'], name: string) =>
  checks.find((each) => each.check === name)?.status

test('a machine and a workload that are well are told so, with the isolation in force', async () => {
  await thv('run', 'time', '--permission-profile', 'none')
  const { code, report } = await examine()
  const failed = [report.machine, ...report.workloads].flatMap(({ checks }) =>
    checks.filter(({ status }) => status === 'failed'),
  )
  expect({ code, failed }).toEqual({ code: 0, failed: [] })
  expect(['A', 'B']).toContain(report.grade)
  for (const name of ['versions', 'socket', 'folders', 'ports', 'clients'])
    expect(statusOf(report.machine.checks, name), name).toBe('ok')
  const [workload] = report.workloads
  expect(workload).toMatchObject({ name: 'time', protocol_version: expect.stringMatching(/^20\d\d-/) })
  expect(workload?.tools).toBeGreaterThan(0)
  expect(workload?.estimated_tokens).toBeGreaterThan(10)
  // Seen in the running sandbox itself.
  expect(workload?.isolation).toMatchObject({
    ...{ seen_by: 'kernel', user: '65534', capabilities: [], privileged: false, no_new_privileges: true },
    ...{ system_call_filter: true, own_files: true, read_only_root: true, network: 'none' },
  })
  const text = await thv('doctor', 'time')
  expect(text).toMatchObject({ code: 0, stderr: '' })
  expect(text.stdout).toMatch(/^This machine: [AB]\n/)
  expect(text.stdout).toMatch(/\ntime: [AB]\n {2}✓ status +running\n/)
  expect(text.stdout).toMatch(/\nGrade [AB] /)

  // The same server with the network of the machine.
  const warned = await thv('run', 'time', '--name', 'open', '--network', 'host', '--permission-profile', 'network')
  expect(warned.stderr).toContain('Warning: open shares the network of this machine')
  expect((await thv('list')).stdout).toMatch(
    /^NAME +STATUS +NETWORK .*\nopen +running +host .*\ntime +running +isolated /,
  )
  const open = await examine('open')
  expect(open.report.workloads).toMatchObject([{ name: 'open', isolation: { network: 'host' } }])
  expect(statusOf(open.report.workloads[0]?.checks ?? [], 'network')).toBe('warning')
})

test('what is wrong is found, with the command that fixes it', async () => {
  await thv('run', 'time')
  await thv('stop', 'time')
  const stopped = await examine('time')
  expect(stopped).toMatchObject({ code: 1, report: { grade: 'F' } })
  expect(stopped.report.workloads[0]?.checks).toEqual([
    { check: 'status', status: 'failed', found: 'stopped', fix: 'thv restart time' },
  ])

  await thv('run', 'npx://surely-not-there@1.0.0', '--name', 'broken', '--keep')
  const broken = await thv('doctor', 'broken')
  expect(broken).toMatchObject({ code: 1, stderr: '' })
  expect(broken.stdout).toMatch(/broken: F\n {2}✗ status +error: .*surely-not-there.*\n +→ thv logs broken\n/)
  expect(await thv('doctor', 'brokn')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Did you mean broken?'),
  })

  const folder = join(world.home.env['HOME'] ?? '', '.cursor')
  await mkdir(folder)
  await writeFile(join(folder, 'mcp.json'), '{"mcpServers":')
  await chmod(world.home.stateDir, 0o750)
  const { code, report } = await examine('time')
  expect([code, statusOf(report.machine.checks, 'clients'), statusOf(report.machine.checks, 'folders')]).toEqual([
    1,
    'failed',
    'failed',
  ])
  await writeFile(
    join(folder, 'mcp.json'),
    '{"mcpServers":{"gh":{"command":"npx","args":["gh-server"],"env":{"GH_TOKEN":"canary-value"}}}}',
  )
  await chmod(world.home.stateDir, 0o700)
  const exposed = await thv('doctor', 'time', '--format', 'json')
  expect(statusOf(doctorReport.parse(JSON.parse(exposed.stdout)).machine.checks, 'clients')).toBe('warning')
  expect(exposed.stdout).not.toContain('canary')
  await rm(folder, { recursive: true })
})

test('a secret that is gone and a daemon that cannot be reached are found', async () => {
  await runThv(world.home, ['secret', 'setup', '--provider', 'encrypted'], { input: 'a good password\n' })
  await runThv(world.home, ['secret', 'set', 'key'], { input: 'value\n' })
  await thv('run', 'time', '--secret', 'key,target=KEY')
  expect(statusOf((await examine()).report.machine.checks, 'secrets')).toBe('ok')
  await thv('secret', 'delete', 'key', '--force')
  const { code, report } = await examine()
  expect(code).toBe(1)
  expect(report.machine.checks.find(({ check }) => check === 'secrets')).toMatchObject({
    status: 'failed',
    found: 'missing: key (for time)',
    fix: 'thv secret set key',
  })
  const nowhere = await runThv(world.home, ['doctor', '--format', 'json'], { env: { THV_HOST: '127.0.0.1:9' } })
  expect(nowhere).toMatchObject({ code: 1 })
  expect(doctorReport.parse(JSON.parse(nowhere.stdout))).toMatchObject({
    grade: 'F',
    machine: { checks: [{ check: 'daemon' }] },
  })
})
