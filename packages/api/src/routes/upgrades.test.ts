import { describe, expect, test } from 'vitest'
import { upgradeList } from '@toolhaven/contract/upgrades'
import { unavailable } from '@toolhaven/core/errors'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario, send } from '@toolhaven/testing/scenario'
import { OLD, planOf, run, stored, upgrade, withRegistry } from '../../test/support/upgrade-scene.ts'

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

  test('an older tag of the registry on another base is not an upgrade', async () => {
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
