import { describe, expect, test } from 'vitest'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { done, scenario, send } from '@toolhaven/testing/scenario'
import {
  NEW,
  OLD,
  beingFetched,
  planOf,
  run,
  runs,
  status,
  stored,
  upgrade,
  withRegistry,
} from '../../test/support/upgrade-scene.ts'

describe('an upgrade', () => {
  test('keeps an image without a version as it was written, and takes the version that was shown', async () => {
    using fake = await startFakeDaemon()
    await run(fake, 'npx://web')
    expect(runs(fake)).toMatchObject({ version: '1.2.3' })
    fake.packages.latestVersion = async () => '1.3.0'
    expect(await upgrade(fake)).toMatchObject({ outcome: 'upgraded', from: '1.2.3', to: '1.3.0' })
    expect(runs(fake)).toMatchObject({ version: '1.3.0' })
    expect(stored(fake)).toMatchObject({ config: { image: 'npx://web' }, resolved: { reference: 'npx://web@1.3.0' } })
    expect(await upgrade(fake)).toMatchObject({ outcome: 'current', from: '1.3.0' })
  })

  test('goes back on its own when the new version does not start, exactly to what was', async () => {
    using fake = await startFakeDaemon()
    await run(fake, 'npx://web', { env_vars: { A: '1' } })
    const { generation: _, handle: __, ...before } = structuredClone(stored(fake))
    fake.packages.latestVersion = async () => '2.0.0'
    fake.runtime.missing.add('npx://web@2.0.0')
    expect(await upgrade(fake, { env_vars: { B: '2' } })).toMatchObject({
      ...{ outcome: 'went-back', from: '1.2.3', to: '2.0.0' },
      reason: expect.stringContaining('npx://web@2.0.0 not found'),
    })
    expect(stored(fake)).toMatchObject(before)
    expect(stored(fake).config.env_vars).toEqual({ A: '1' })
    expect(stored(fake).upgrade).toBeUndefined()
    expect(status(fake)).toBe('running')
    expect(runs(fake)).toMatchObject({ version: '1.2.3' })
  })

  test('goes back from a moved tag to the very image that ran, whatever the tag means by now', async () => {
    using fake = await startFakeDaemon()
    fake.runtime.local.set('registry.example.com/web:latest', OLD)
    await run(fake, 'registry.example.com/web:latest', { image_verification: 'disabled' })
    fake.imageRegistry.digestList = [NEW, OLD]
    const { resolved } = stored(fake)
    fake.daemon.workloads.book.get('web').stored.resolved = { reference: resolved?.reference ?? '', digest: OLD }
    expect(await planOf(fake)).toMatchObject({ state: 'current' })
    fake.imageRegistry.digestList = [NEW]
    expect(await planOf(fake)).toMatchObject({ state: 'available', from: OLD, to: NEW })
    fake.runtime.missing.add(`registry.example.com/web@${NEW}`)
    expect(await upgrade(fake)).toMatchObject({ outcome: 'went-back' })
    expect(runs(fake)).toEqual({ kind: 'image', reference: `registry.example.com/web@${OLD}` })
    expect(stored(fake).config.image).toBe('registry.example.com/web:latest')
  })

  test('starts a stopped workload to see whether it runs, and stops it again', async () => {
    using fake = await startFakeDaemon()
    await run(fake, 'npx://web@1.0.0')
    await done(fake, 'POST /api/v1beta/workloads/web/stop')
    expect(await upgrade(fake)).toMatchObject({ outcome: 'upgraded', to: '1.2.3' })
    await settle()
    expect(status(fake)).toBe('stopped')
    fake.packages.latestVersion = async () => '2.0.0'
    fake.runtime.missing.add('npx://web@2.0.0')
    expect(await upgrade(fake)).toMatchObject({ outcome: 'went-back' })
    await settle()
    expect(status(fake)).toBe('stopped')
    expect(stored(fake).config.image).toBe('npx://web@1.2.3')
  })

  test('that the daemon did not live to see is brought to its end by the next one', async () => {
    const fake = await startFakeDaemon()
    const { answer, goOn } = await beingFetched(fake)
    expect(stored(fake).config.image).toBe('npx://web@1.2.3')
    fake[Symbol.dispose]()
    goOn()
    await answer.catch(() => undefined)
    fake.runtime.whilePreparing = async () => {}
    fake.runtime.missing.add('npx://web@1.2.3')
    using next = await startFakeDaemon({ runtime: fake.runtime, workloadStore: fake.workloadStore })
    await settle()
    expect(stored(next).config.image).toBe('npx://web@1.0.0')
    expect(stored(next).upgrade).toBeUndefined()
    expect(status(next)).toBe('running')
    expect((await next.logs.tail('web', 20)).join('\n')).toMatch(/the previous version is back in force/)
  })

  test('leaves alone what somebody changed meanwhile', async () => {
    using fake = await startFakeDaemon()
    const { answer, goOn } = await beingFetched(fake)
    const second = await send(fake, 'POST /api/v1beta/workloads/web/upgrade', { body: {} })
    expect(second).toMatchObject({ status: 409, text: expect.stringContaining('is already being upgraded') })
    await done(fake, 'POST /api/v1beta/workloads/web/stop')
    goOn()
    expect(await answer).toMatchObject({ status: 409, text: expect.stringMatching(/so nothing else was done/) })
    expect(stored(fake)).toMatchObject({ wanted: 'stopped', config: { image: 'npx://web@1.2.3' } })
    expect(stored(fake).upgrade).toBeUndefined()
  })

  test('does not take for the new version what somebody put in its place', async () => {
    using fake = await startFakeDaemon()
    const { answer, goOn } = await beingFetched(fake)
    fake.runtime.whilePreparing = async () => {}
    await done(fake, 'POST /api/v1beta/workloads/web/edit', { image: 'npx://web@1.0.0' })
    goOn()
    expect(await answer).toMatchObject({ status: 409, text: expect.stringMatching(/so nothing else was done/) })
    expect(stored(fake)).toMatchObject({ wanted: 'running', config: { image: 'npx://web@1.0.0' } })
  })

  test.each([
    ['npx://other@9.0.0', 'npx://everything@1.0.0'],
    ['uvx://everything@9.0.0', 'npx://everything@1.0.0'],
    ['registry.example.com/everything:9.0.0', 'npx://everything@1.0.0'],
    ['registry.example.com/other:9.0.0', 'registry.example.com/web:1.0.0'],
    [`registry.example.com/team/web@${NEW}`, 'registry.example.com/web:1.0.0'],
  ])('leads to no other package: %s', async (next, before) => {
    const { fake, release } = await withRegistry()
    using _fake = fake
    release({ image: before })
    await run(fake, 'everything', { image_verification: 'disabled' })
    release({ image: next })
    expect(await planOf(fake)).toMatchObject({
      ...{ state: 'not-upgradable', differences: [] },
      reason: `everything is now another package in the registry (${next}); to use it, edit the workload and set its image to everything`,
    })
    const answer = await send(fake, 'POST /api/v1beta/workloads/web/upgrade', { body: {} })
    expect(answer).toMatchObject({ status: 409 })
    expect(stored(fake).config.image).toBe(before)
  })

  test('leads to no older tag, also when the entry pins its digest', async () => {
    const { fake, release } = await withRegistry()
    using _fake = fake
    release({ image: 'registry.example.com/web:1.2.0' })
    await run(fake, 'everything', { image_verification: 'disabled' })
    release({ image: `registry.example.com/web:1.1.0@${NEW}` })
    expect(await planOf(fake)).toMatchObject({ state: 'current', reason: expect.stringContaining('is not newer') })
    release({ image: `registry.example.com/web:1.3.0@${NEW}` })
    expect(await planOf(fake)).toMatchObject({ state: 'available', from: '1.2.0' })
  })

  test('tells which tools differ from the accepted ones, and accepts none', async () => {
    using fake = await startFakeDaemon()
    await run(fake, 'npx://web@1.0.0', { tools_changed: 'block' })
    const seen = (...names: string[]) => ({
      revision: names.join(),
      definitions: names.map((name) => ({ name, hash: name, definition: JSON.stringify({ name }) })),
    })
    fake.gateway.events.onDefinitions?.('web', 'tool', seen('echo'))
    const connect = fake.gateway.connect.bind(fake.gateway)
    fake.gateway.connect = async (...args) => {
      const shake = await connect(...args)
      fake.gateway.events.onDefinitions?.('web', 'tool', seen('echo', 'ex\u200Btra'))
      return shake
    }
    expect(await upgrade(fake)).toMatchObject({
      outcome: 'upgraded',
      tools_changed: [{ part: 'tool', name: 'ex\\u{200b}tra', kind: 'added' }],
    })
    expect([...(fake.daemon.toolLocks.acceptedHashes('web', 'tool')?.keys() ?? [])]).toEqual(['echo'])
  })

  test.each([
    ['another version than was shown', 'npx://web@1.0.0', { to: '1.1.0' }, /can now be upgraded to 1.2.3/],
    ['a version that is not newer', 'npx://web@1.2.3', { to: '1.3.0' }, /there is nothing newer than 1.2.3/],
    ['a pinned image', `registry.example.com/web@${OLD}`, {}, /pinned to a digest/],
  ])('to %s is refused and changes nothing', async (_, image, body, text) => {
    using fake = await startFakeDaemon()
    await run(fake, image)
    const before = structuredClone(stored(fake))
    expect(await send(fake, 'POST /api/v1beta/workloads/web/upgrade', { body })).toMatchObject({
      status: 409,
      text: expect.stringMatching(text),
    })
    expect(stored(fake)).toEqual(before)
  })

  scenario('from a source that does not answer', {
    given: async (fake) => {
      await run(fake, 'registry.example.com/web:1.0')
      fake.imageRegistry.isDown = true
    },
    request: 'POST /api/v1beta/workloads/web/upgrade',
    body: {},
    answers: { status: 500, text: /web was not upgraded: registry.example.com does not answer/ },
  })

  scenario('of an unknown workload', {
    request: 'POST /api/v1beta/workloads/ghost/upgrade',
    body: {},
    answers: { status: 404, text: /^workload ghost not found/ },
  })
})
