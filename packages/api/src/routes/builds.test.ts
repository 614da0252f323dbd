import { describe, expect, test } from 'vitest'
import { buildEvent } from '@toolhaven/contract/builds'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { unavailable } from '@toolhaven/core/errors'
import { ask, done, scenario } from '@toolhaven/testing/scenario'
import { eventsOf } from '../../test/support/events.ts'

const REQUEST = 'POST /api/v1beta/builds'

const loseIndex = (fake: FakeDaemon) => {
  fake.packages.latestVersion = async () => {
    throw unavailable('The npm registry could not be reached for everything (ECONNREFUSED). Check the network.')
  }
}

describe('the recipe of a package', () => {
  scenario('has the newest version when none is named', {
    request: 'GET /api/v1beta/builds/recipe?package=npx%3A%2F%2Feverything',
    answers: {
      status: 200,
      json: {
        package: 'npx://everything@1.2.3',
        image: 'toolhaven.local/npx-everything:1.2.3',
        base_image: 'base:1',
        dockerfile: 'FROM base:1\n',
        files: { 'package.json': '{}' },
      },
    },
    afterwards: (fake) => expect(fake.runtime.calls).not.toContain('prepare'),
  })
  scenario('needs no runtime, and holds the configured certificate', {
    given: async (fake) => {
      await done(fake, 'PUT /api/v1beta/config', { ca_certificate_path: '/data/ca.pem' })
      fake.runtime.goDown()
    },
    request: 'GET /api/v1beta/builds/recipe?package=uvx://tool@2.0.0',
    answers: { status: 200, matches: { package: 'uvx://tool@2.0.0', files: { 'ca.pem': 'PEM' } } },
  })
  scenario('is the fault of the index, where that cannot be reached', {
    given: loseIndex,
    request: 'GET /api/v1beta/builds/recipe?package=npx://everything',
    answers: { status: 502, text: /registry could not be reached for everything.*Check the network/ },
  })
  scenario('needs no index for a version that is named', {
    given: loseIndex,
    request: 'GET /api/v1beta/builds/recipe?package=npx://everything@1.0.0',
    answers: { status: 200, matches: { package: 'npx://everything@1.0.0' } },
  })
  for (const text of ['everything', 'image:1', 'npx://', 'npx://a@^1', 'go://x', '']) {
    scenario(`refuses ${JSON.stringify(text)}`, {
      request: `GET /api/v1beta/builds/recipe?package=${encodeURIComponent(text)}`,
      answers: { status: 400, text: /package|version/ },
    })
  }
})

describe('a build', () => {
  test('tells its steps, then the image, which has the name asked for', async () => {
    using fake = await startFakeDaemon()
    const body = { package: 'npx://everything', tag: 'team/everything:1' }
    const events = await eventsOf(await ask(fake, REQUEST, { body }), buildEvent)
    expect(events).toMatchObject([
      { state: 'working', progress: { phase: 'resolving', detail: 'everything' } },
      { state: 'working', progress: { phase: 'pulling' } },
      { state: 'done', package: 'npx://everything@1.2.3', image: 'team/everything:1', id: 'npx://everything@1.2.3' },
    ])
    expect(fake.runtime.calls).toContain('tag npx://everything@1.2.3 team/everything:1')
  })

  test('without a tag gives the name of its recipe', async () => {
    using fake = await startFakeDaemon()
    const events = await eventsOf(await ask(fake, REQUEST, { body: { package: 'npx://a@1.0.0' } }), buildEvent)
    expect(events.at(-1)).toMatchObject({ state: 'done', image: 'toolhaven.local/npx-a:1.0.0' })
    expect(fake.runtime.calls.filter((call) => call.startsWith('tag'))).toEqual([])
  })

  test('that fails says why', async () => {
    using fake = await startFakeDaemon()
    fake.runtime.missing.add('npx://a@1.0.0')
    const events = await eventsOf(await ask(fake, REQUEST, { body: { package: 'npx://a@1.0.0' } }), buildEvent)
    expect(events.at(-1)).toMatchObject({ state: 'failed', status: 404, message: /not found/ })
    loseIndex(fake)
    const lost = await eventsOf(await ask(fake, REQUEST, { body: { package: 'npx://a' } }), buildEvent)
    expect(lost.at(-1)).toMatchObject({ state: 'failed', status: 502, message: /could not be reached/ })
  })

  test('is called off when nobody follows it any more', async () => {
    using fake = await startFakeDaemon()
    const calledOff = Promise.withResolvers<void>()
    fake.runtime.whilePreparing = (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          calledOff.resolve()
          reject(new Error('called off'))
        })
      })
    const response = await ask(fake, REQUEST, { body: { package: 'npx://a@1.0.0' } })
    await response.body?.cancel()
    await calledOff.promise
  })

  scenario('is refused without an engine', {
    given: (fake) => delete fake.runtime.tag,
    request: REQUEST,
    body: { package: 'npx://a@1.0.0' },
    answers: { status: 400, text: /needs a container engine.*install Docker or Podman/ },
  })
  for (const [body, text] of [
    [{ package: 'everything' }, /is not a package/],
    [{ package: 'npx://a', tag: 'UPPER CASE' }, /valid image reference/],
    [{ package: 'npx://a', tag: `a@sha256:${'0'.repeat(64)}` }, /without a digest/],
    [{ package: 'npx://a', push: true }, /unknown field push/],
    [{}, /^package: /],
  ] as const) {
    scenario(`refuses ${JSON.stringify(body)}`, { request: REQUEST, body, answers: { status: 400, text } })
  }
})
