import { describe, expect, test } from 'vitest'
import { exitList } from '@toolhaven/contract/exits'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { done, scenario } from '@toolhaven/testing/scenario'

const web = (fake: FakeDaemon) =>
  done(fake, 'POST /api/v1beta/workloads', {
    name: 'web',
    image: 'npx://web@1.0.0',
    permission_profile: { name: 'none' },
  })

const exitsOf = async (fake: FakeDaemon) =>
  exitList.parse(JSON.parse((await done(fake, 'GET /api/v1beta/workloads/web/exits')).text)).exits

async function crash(fake: FakeDaemon, lastLine: string): Promise<void> {
  fake.logs.append('web', 'stderr', lastLine)
  fake.runtime.crash('web')
  await settle()
}

describe('how a workload ended before', () => {
  test('is told newest first, with the reason and its last lines, and survives the daemon', async () => {
    using fake = await startFakeDaemon()
    await web(fake)
    expect(await exitsOf(fake)).toEqual([])
    await crash(fake, 'no more room')
    await fake.clock.advance(60_000)
    await settle()
    await crash(fake, 'no more room again')
    const exits = await exitsOf(fake)
    expect(exits).toMatchObject([
      {
        kind: 'exited',
        reason: expect.stringMatching(/^the server exited with code \d+$/),
        exit_code: expect.any(Number),
      },
      { kind: 'exited', last_lines: ['no more room'] },
    ])
    expect(exits[0]?.last_lines).toEqual(['no more room again'])
    using next = await startFakeDaemon({ exitStore: fake.exitStore, workloadStore: fake.workloadStore })
    expect(await exitsOf(next)).toEqual(expect.arrayContaining(exits))
  })

  test('holds no secret of the workload', async () => {
    using fake = await startFakeDaemon()
    await web(fake)
    fake.daemon.workloads.masker.hold('web', ['hunter22'])
    await crash(fake, 'the key hunter22 is refused')
    expect(JSON.stringify(await exitsOf(fake))).not.toContain('hunter22')
    expect(JSON.stringify([...fake.exitStore.records.values()])).not.toContain('hunter22')
  })

  test('is bounded and goes with the workload', async () => {
    using fake = await startFakeDaemon()
    await web(fake)
    for (let time = 0; time < 25; time += 1)
      fake.daemon.exits.add('web', { kind: 'exited', reason: `${time}`, last_lines: ['x'.repeat(10_000)] })
    const exits = await exitsOf(fake)
    expect(exits).toHaveLength(20)
    expect(exits[0]?.reason).toBe('24')
    expect(exits[0]?.last_lines[0]?.length).toBe(500)
    await done(fake, 'DELETE /api/v1beta/workloads/web')
    await settle()
    expect(fake.exitStore.records.size).toBe(0)
  })

  scenario('is told of a start that failed', {
    given: (fake) => {
      fake.runtime.missing.add('npx://web@1.0.0')
      return web(fake)
    },
    request: 'GET /api/v1beta/workloads/web/exits',
    answers: { status: 200, text: /"kind":"not-started".*not found/ },
  })

  scenario('of an unknown workload', {
    request: 'GET /api/v1beta/workloads/ghost/exits',
    answers: { status: 404, text: /^workload ghost not found/ },
  })
})
