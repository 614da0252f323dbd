import { describe, expect, test } from 'vitest'
import type { ImageServer } from '@toolhaven/contract/registry-document'
import { upgradeList, upgradePlan, upgradeResult } from '@toolhaven/contract/upgrades'
import { unavailable } from '@toolhaven/core/errors'
import { type FakeDaemon, type FakeDaemonParts, fakeRegistry, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { done, scenario, send } from '@toolhaven/testing/scenario'

const OLD = `sha256:${'1'.repeat(64)}`
const NEW = `sha256:${'2'.repeat(64)}`

/** A daemon whose registry can move on. */
async function withRegistry(parts: FakeDaemonParts = {}) {
  const registry = structuredClone(fakeRegistry)
  const { everything } = registry.servers
  if (!everything) throw new Error('the registry has it')
  const release = (changes: Partial<ImageServer>) => Object.assign(everything, changes)
  return { fake: await startFakeDaemon({ registry, ...parts }), release }
}

const run = (fake: FakeDaemon, image: string, more: object = {}) =>
  done(fake, 'POST /api/v1beta/workloads', { name: 'web', image, permission_profile: { name: 'none' }, ...more })

const planOf = async (fake: FakeDaemon) =>
  upgradePlan.parse(JSON.parse((await done(fake, 'GET /api/v1beta/workloads/web/upgrade')).text))

const upgrade = async (fake: FakeDaemon, body: object = {}) =>
  upgradeResult.parse(JSON.parse((await done(fake, 'POST /api/v1beta/workloads/web/upgrade', body)).text))

const stored = (fake: FakeDaemon) => fake.daemon.workloads.book.get('web').stored
const status = (fake: FakeDaemon) => fake.daemon.workloads.book.status('web').status
const runs = (fake: FakeDaemon) => fake.runtime.instances.get('thv-web')?.spec.source

describe('the list of upgrades', () => {
  test('asks each source, and one that does not answer leaves the others to be told', async () => {
    const { fake, release } = await withRegistry()
    using _fake = fake
    await done(fake, 'POST /api/v1beta/workloads', { name: 'a', image: 'everything' })
    await done(fake, 'POST /api/v1beta/workloads', { name: 'b', image: 'npx://b@1.0.0' })
    await done(fake, 'POST /api/v1beta/workloads', { name: 'c', image: 'uvx://c@9.0.0' })
    await done(fake, 'POST /api/v1beta/workloads', { name: 'd', image: 'registry.example.com/d:1.2.3-alpine' })
    await done(fake, 'POST /api/v1beta/workloads', { name: 'e', image: `registry.example.com/e@${OLD}` })
    await done(fake, 'POST /api/v1beta/workloads', { name: 'f', url: 'https://mcp.example.com/mcp' })
    await done(fake, 'POST /api/v1beta/workloads', { name: 'g', image: 'go://example.com/g@v1.0.0' })
    release({ image: 'npx://everything@1.1.0' })
    fake.imageRegistry.tagList = ['1.2.4', '1.3.0-alpine']
    fake.packages.latestVersion = async (scheme) => {
      if (scheme === 'go') throw unavailable('The Go module proxy\u001B[2J could not be reached')
      return '2.0.0'
    }
    const { text } = await done(fake, 'GET /api/v1beta/upgrades')
    expect(upgradeList.parse(JSON.parse(text)).upgrades).toMatchObject([
      { name: 'a', state: 'available', source: 'registry', from: '1.0.0', to: '1.1.0' },
      { name: 'b', state: 'available', source: 'npm', from: '1.0.0', to: '2.0.0' },
      { name: 'c', state: 'current', source: 'pypi', from: '9.0.0' },
      { name: 'd', state: 'available', source: 'image', from: '1.2.3-alpine', to: '1.3.0-alpine' },
      { name: 'e', state: 'not-upgradable', reason: expect.stringMatching(/pinned to a digest/) },
      { name: 'f', state: 'not-upgradable', reason: expect.stringMatching(/remote server/) },
      { name: 'g', state: 'unknown', source: 'go', reason: expect.stringContaining('could not be reached') },
    ])
    expect(text).not.toContain('\\u001b')
  })

  test.each([
    ['1.0.0', '2.0.0-beta.1', 'current'],
    ['2.0.0-beta.1', '2.0.0-beta.2', 'available'],
    ['2.0.0-beta.2', '2.0.0', 'available'],
  ])('from %s, of %s as the newest, is %s', async (from, to, state) => {
    using fake = await startFakeDaemon()
    await run(fake, `npx://web@${from}`)
    fake.packages.latestVersion = async () => to
    expect(await planOf(fake)).toMatchObject({ state })
  })

  scenario('is empty without workloads', {
    request: 'GET /api/v1beta/upgrades',
    answers: { status: 200, json: { upgrades: [] } },
  })
})

describe('what an upgrade would change', () => {
  test('is the version, new variables, tools and permissions of the registry, and nothing is changed', async () => {
    const { fake, release } = await withRegistry()
    using _fake = fake
    await done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'everything' })
    release({
      image: 'npx://everything@2.0.0',
      tools: ['echo', 'sub'],
      env_vars: [{ name: 'REGION', description: 'Where\u200B', required: true }],
      permissions: { network: { outbound: { allow_host: ['example.com', 'example.net'], allow_port: [443] } } },
    })
    const before = structuredClone(stored(fake))
    const plan = await planOf(fake)
    expect(stored(fake)).toEqual(before)
    expect(plan).toMatchObject({
      ...{ state: 'available', from: '1.0.0', to: '2.0.0', restarts: true },
      variables: [
        { name: 'REGION', change: 'added', description: 'Where\\u{200b}', required: true },
        { name: 'LEVEL', change: 'removed' },
      ],
      tools: [
        { name: 'sub', change: 'added' },
        { name: 'add', change: 'removed' },
      ],
      problems: [
        { field: 'env_vars', message: expect.stringMatching(/needs REGION/) },
        {
          field: 'accept_network',
          message: expect.stringMatching(/asks to reach .*example\.net:443, which the present/),
        },
      ],
    })
    expect(plan.differences.map(({ field }) => field)).toEqual(['env_vars.LEVEL', 'image', 'permission_profile'])
    const refused = await send(fake, 'POST /api/v1beta/workloads/web/upgrade', { body: {} })
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('needs REGION') })
    const body = { to: '2.0.0', env_vars: { REGION: 'here' } }
    const unconfirmed = await send(fake, 'POST /api/v1beta/workloads/web/upgrade', { body })
    expect(unconfirmed).toMatchObject({ status: 400, text: expect.stringContaining('accept_network: true') })
    expect(await upgrade(fake, { ...body, accept_network: true })).toMatchObject({ outcome: 'upgraded' })
    expect(stored(fake)).toMatchObject({ config: { image: 'npx://everything@2.0.0', env_vars: { REGION: 'here' } } })
    expect(stored(fake).upgrade).toBeUndefined()
    expect(await planOf(fake)).toMatchObject({ state: 'current', differences: [], restarts: false })
  })

  scenario('of an unknown workload', {
    request: 'GET /api/v1beta/workloads/ghost/upgrade',
    answers: { status: 404, text: /^workload ghost not found/ },
  })
})

describe('an upgrade gives what the new version reaches besides only when that is confirmed:', () => {
  const outbound = (rules: object) => ({ network: { outbound: rules } })
  const list = { allow_host: ['a.example', '*.b.example'], allow_port: [443] }
  test.each([
    ['another host', list, { ...list, allow_host: ['a.example', 'c.example'] }, 'c.example:443'],
    ['another port', list, { ...list, allow_port: [443, 25] }, 'a.example:25, *.b.example:25'],
    ['the same', list, list, undefined],
    ['less', list, { ...list, allow_host: ['x.b.example'] }, undefined],
    ['ports of the web in place of one', list, { allow_host: ['a.example'] }, 'a.example:80'],
    ['everything', list, { insecure_allow_all: true }, 'every public host'],
    ['one port of every host', list, { allow_port: [443] }, 'every public host at port 443'],
    ['a list in place of everything', { insecure_allow_all: true }, list, undefined],
    ['something in place of nothing', {}, { allow_host: ['a.example'] }, 'a.example:80, a.example:443'],
  ])('%s', async (_, before, after, told) => {
    const { fake, release } = await withRegistry()
    using _fake = fake
    release({ permissions: outbound(before) })
    await done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'everything' })
    release({ image: 'npx://everything@2.0.0', permissions: outbound(after) })
    const { status: answered, text } = await send(fake, 'POST /api/v1beta/workloads/web/upgrade', { body: {} })
    expect(answered, text).toBe(told === undefined ? 200 : 400)
    if (told === undefined) return
    expect(text).toContain(`asks to reach ${told}, which the present one may not`)
    expect(await upgrade(fake, { accept_network: true })).toMatchObject({ outcome: 'upgraded' })
  })

  test('an older tag of the registry on another base is no upgrade', async () => {
    const { fake, release } = await withRegistry()
    using _fake = fake
    release({ image: 'registry.example.com/web:2.0.0' })
    await done(fake, 'POST /api/v1beta/workloads', { name: 'web', image: 'everything' })
    release({ image: 'registry.example.com/web:1.0.0-alpine' })
    expect(await planOf(fake)).toMatchObject({ state: 'current', reason: expect.stringContaining('not newer') })
    release({ image: 'registry.example.com/web:2.1.0-alpine' })
    expect(await planOf(fake)).toMatchObject({ state: 'available', to: '2.1.0-alpine' })
  })
})

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

  test('goes back by itself when the new version does not start, exactly to what was', async () => {
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
    await run(fake, 'npx://web@1.0.0')
    const { promise, resolve } = Promise.withResolvers<void>()
    fake.runtime.whilePreparing = () => promise
    const answer = send(fake, 'POST /api/v1beta/workloads/web/upgrade', { body: {} }).catch(() => undefined)
    await expect.poll(() => stored(fake).upgrade?.generation).toBe(2)
    expect(stored(fake).config.image).toBe('npx://web@1.2.3')
    fake[Symbol.dispose]()
    resolve()
    await answer
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
    await run(fake, 'npx://web@1.0.0')
    const { promise, resolve } = Promise.withResolvers<void>()
    fake.runtime.whilePreparing = () => promise
    const answer = send(fake, 'POST /api/v1beta/workloads/web/upgrade', { body: {} })
    await expect.poll(() => stored(fake).upgrade?.generation).toBe(2)
    const second = await send(fake, 'POST /api/v1beta/workloads/web/upgrade', { body: {} })
    expect(second).toMatchObject({ status: 409, text: expect.stringContaining('is already being upgraded') })
    await done(fake, 'POST /api/v1beta/workloads/web/stop')
    resolve()
    expect(await answer).toMatchObject({ status: 409, text: expect.stringMatching(/so nothing else was done/) })
    expect(stored(fake)).toMatchObject({ wanted: 'stopped', config: { image: 'npx://web@1.2.3' } })
    expect(stored(fake).upgrade).toBeUndefined()
  })

  test('does not take for the new version what somebody put in its place', async () => {
    using fake = await startFakeDaemon()
    await run(fake, 'npx://web@1.0.0')
    const { promise, resolve } = Promise.withResolvers<void>()
    fake.runtime.whilePreparing = () => promise
    const answer = send(fake, 'POST /api/v1beta/workloads/web/upgrade', { body: {} })
    await expect.poll(() => stored(fake).upgrade?.generation).toBe(2)
    fake.runtime.whilePreparing = async () => {}
    await done(fake, 'POST /api/v1beta/workloads/web/edit', { image: 'npx://web@1.0.0' })
    resolve()
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
