import { describe, expect } from 'vitest'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, scenario, send } from '@toolhaven/testing/scenario'

const KEYS = '/api/v1beta/secrets/default/keys'
type Provider = 'encrypted' | '1password' | 'none' | 'environment'
const using = (provider_type: Provider) => (fake: FakeDaemon) =>
  done(fake, 'POST /api/v1beta/secrets', { provider_type })
const one = async (fake: FakeDaemon) => {
  await using('encrypted')(fake)
  await done(fake, 'POST /api/v1beta/secrets/default/keys', { key: 'token', value: 'the-value' })
}

describe('setting up a provider', () => {
  for (const provider_type of ['encrypted', '1password', 'none', 'environment'] as const) {
    scenario(`of type ${provider_type}`, {
      request: 'POST /api/v1beta/secrets',
      body: { provider_type },
      answers: { status: 201, json: { message: `secrets provider ${provider_type} is set up`, provider_type } },
      afterwards: (fake) =>
        expect(fake.journal.entries).toMatchObject([{ action: 'setup-secrets', target: provider_type }]),
    })
  }
  scenario('with a password never shows it', {
    request: 'POST /api/v1beta/secrets',
    body: { provider_type: 'encrypted', password: 'correct-horse' },
    answers: { status: 201, notContain: ['correct-horse'] },
    afterwards: (fake) => expect(JSON.stringify(fake.journal.entries)).not.toContain('correct-horse'),
  })
  scenario('with a wrong password changes nothing', {
    given: one,
    request: 'POST /api/v1beta/secrets',
    body: { provider_type: 'none', password: 'wrong' },
    answers: { status: 400, text: /^wrong password; nothing was changed/ },
    afterwards: async (fake) =>
      expect(JSON.parse((await send(fake, 'GET /api/v1beta/secrets/default')).text)).toMatchObject({
        provider_type: 'encrypted',
      }),
  })
  for (const body of [
    { provider_type: 'vault' },
    {},
    { provider_type: '' },
    { provider_type: 'none', password: 1 },
    { provider_type: 'none', pasword: 'x' },
  ]) {
    scenario(`with ${JSON.stringify(body)}`, { request: 'POST /api/v1beta/secrets', body, answers: { status: 400 } })
  }
})

describe('without a provider', () => {
  for (const [request, body] of [
    ['GET /api/v1beta/secrets/default'],
    ['GET /api/v1beta/secrets/default/keys'],
    ['POST /api/v1beta/secrets/default/keys', { key: 'k', value: 'v' }],
    ['PUT /api/v1beta/secrets/default/keys/k', { value: 'v' }],
    ['DELETE /api/v1beta/secrets/default/keys/k'],
  ] as const) {
    scenario(`${request} is not found`, {
      request,
      body,
      answers: { status: 404, text: /^no secrets provider is set up/ },
    })
  }
  scenario('the value route is not found either', {
    request: `GET ${KEYS}/k/value`,
    overSocket: true,
    answers: { status: 404, text: /^no secrets provider is set up/ },
  })
})

describe('a provider shows what it can', () => {
  const capabilities = (can_read: boolean, can_write: boolean, can_list = can_read) => ({
    ...{ can_read, can_write, can_delete: can_write, can_list, can_cleanup: can_write },
  })
  for (const [provider_type, can] of [
    ['encrypted', capabilities(true, true)],
    ['1password', capabilities(true, false)],
    ['none', capabilities(false, false)],
    ['environment', capabilities(true, false)],
  ] as const) {
    scenario(provider_type, {
      given: using(provider_type),
      request: 'GET /api/v1beta/secrets/default',
      answers: { status: 200, json: { name: 'default', provider_type, capabilities: can } },
    })
  }
})

describe('what a provider does not support is 405', () => {
  for (const provider of ['1password', 'none'] as const) {
    scenario(`${provider}: create`, {
      given: using(provider),
      request: `POST ${KEYS}`,
      body: { key: 'k', value: 'v' },
      answers: { status: 405, text: `the secrets provider ${provider} cannot write secrets` },
    })
    scenario(`${provider}: update`, {
      given: using(provider),
      request: `PUT ${KEYS}/k`,
      body: { value: 'v' },
      answers: { status: 405, text: /cannot write/ },
    })
    scenario(`${provider}: delete`, {
      given: using(provider),
      request: `DELETE ${KEYS}/k`,
      answers: { status: 405, text: /cannot delete/ },
    })
  }
  for (const [verb, request, body] of [
    ['write', `POST ${KEYS}`, { key: 'github-token', value: 'v' }],
    ['write', `PUT ${KEYS}/github-token`, { value: 'v' }],
    ['delete', `DELETE ${KEYS}/github-token`, undefined],
  ] as const) {
    scenario(`environment says which variable to change: ${request}`, {
      given: using('environment'),
      request,
      body,
      answers: {
        status: 405,
        text: `the secrets provider environment cannot ${verb} secrets; ${verb === 'write' ? 'set' : 'unset'} TOOLHAVEN_SECRET_GITHUB_TOKEN where the daemon runs, and start the daemon again`,
      },
    })
  }
  scenario('none: list', {
    given: using('none'),
    request: `GET ${KEYS}`,
    answers: { status: 405, text: /cannot list/ },
  })
  scenario('1password lists', {
    given: using('1password'),
    request: `GET ${KEYS}`,
    answers: { status: 200, json: { keys: [] } },
  })
})

describe('secrets', () => {
  scenario('are listed by key, sorted, never by value', {
    given: async (fake) => {
      await one(fake)
      await done(fake, 'POST /api/v1beta/secrets/default/keys', { key: 'another one', value: 'x' })
    },
    request: `GET ${KEYS}`,
    answers: { status: 200, json: { keys: [{ key: 'another one' }, { key: 'token' }] } },
  })
  scenario('are created', {
    given: using('encrypted'),
    request: `POST ${KEYS}`,
    body: { key: 'token', value: 'the-value' },
    answers: { status: 201, json: { key: 'token', message: 'secret token created' }, notContain: ['the-value'] },
    afterwards: (fake) => expect(JSON.stringify(fake.journal.entries)).not.toContain('the-value'),
  })
  scenario('exist once', {
    given: one,
    request: `POST ${KEYS}`,
    body: { key: 'token', value: 'other' },
    answers: { status: 409, text: /^secret token already exists/ },
    afterwards: async (fake) => expect(await fake.daemon.secrets.read('token')).toBe('the-value'),
  })
  scenario('are changed', {
    given: one,
    request: `PUT ${KEYS}/token`,
    body: { value: 'new-value' },
    answers: { status: 200, json: { key: 'token', message: 'secret token updated' } },
    afterwards: async (fake) => expect(await fake.daemon.secrets.read('token')).toBe('new-value'),
  })
  scenario('that do not exist are not changed', {
    given: one,
    request: `PUT ${KEYS}/ghost`,
    body: { value: 'x' },
    answers: { status: 404, text: 'secret ghost not found' },
  })
  scenario('are deleted', {
    given: one,
    request: `DELETE ${KEYS}/token`,
    answers: { status: 204 },
    afterwards: async (fake) => expect(JSON.parse((await send(fake, `GET ${KEYS}`)).text)).toEqual({ keys: [] }),
  })
  scenario('that do not exist are not deleted', {
    given: one,
    request: `DELETE ${KEYS}/ghost`,
    answers: { status: 404, text: 'secret ghost not found' },
  })
  scenario('may have a slash in their key', {
    given: async (fake) => {
      await using('encrypted')(fake)
      await done(fake, 'POST /api/v1beta/secrets/default/keys', { key: 'a/../b', value: 'x' })
    },
    request: `DELETE ${KEYS}/a%2F..%2Fb`,
    answers: { status: 204 },
  })
  for (const body of [
    { key: '', value: 'x' },
    { key: 'k', value: '' },
    { key: 'a,b', value: 'x' },
    { key: 'a\nb', value: 'x' },
    { key: 'x'.repeat(257), value: 'x' },
    { key: 'k' },
    { value: 'v' },
    { key: 1, value: 2 },
    { key: 'k', value: 'v', note: 'n' },
  ]) {
    scenario(`are not created from ${JSON.stringify(body).slice(0, 40)}`, {
      given: using('encrypted'),
      request: `POST ${KEYS}`,
      body,
      answers: { status: 400 },
      afterwards: async (fake) => expect(await fake.daemon.secrets.list()).toEqual([]),
    })
  }
  scenario('are not changed to nothing', {
    given: one,
    request: `PUT ${KEYS}/token`,
    body: { value: '' },
    answers: { status: 400, text: /^value: must not be empty/ },
  })
  for (const key of ['a%2Cb', '%00', '%0a', 'x'.repeat(257)]) {
    scenario(`have no key ${key.slice(0, 20)}`, {
      given: one,
      request: `DELETE ${KEYS}/${key}`,
      answers: { status: 400, text: /^key: / },
    })
  }
})

describe('the value of a secret', () => {
  scenario('is read over the unix socket', {
    given: one,
    request: 'GET /api/v1beta/secrets/default/keys/token/value',
    overSocket: true,
    answers: { status: 200, json: { key: 'token', value: 'the-value' } },
  })
  scenario('of an unknown key', {
    given: one,
    request: `GET ${KEYS}/ghost/value`,
    overSocket: true,
    answers: { status: 404, text: 'secret ghost not found' },
  })
  scenario('does not exist over TCP', {
    given: one,
    request: `GET ${KEYS}/token/value`,
    answers: { status: 404, text: /^there is no such route/, notContain: ['the-value'] },
  })
  scenario('has no other method over TCP either', {
    given: one,
    request: `POST ${KEYS}/token/value`,
    answers: { status: 404 },
  })
})

describe('the uses of secrets', () => {
  scenario('are told by key, of secrets that are there and of those that are gone', {
    given: async (fake) => {
      await done(fake, 'POST /api/v1beta/secrets', { provider_type: 'encrypted' })
      for (const key of ['a', 'b']) await done(fake, 'POST /api/v1beta/secrets/default/keys', { key, value: 'x' })
      const image = 'npx://web@1.0.0'
      const uses = (...names: string[]) => names.map((name) => ({ name, target: name.toUpperCase() }))
      await done(fake, 'POST /api/v1beta/workloads', { name: 'two', image, secrets: uses('b') })
      await done(fake, 'POST /api/v1beta/workloads', { name: 'one', image, secrets: uses('a', 'b') })
      await done(fake, 'POST /api/v1beta/workloads', { name: 'gone', image, secrets: uses('a') })
      await done(fake, 'DELETE /api/v1beta/workloads/gone')
      await done(fake, 'DELETE /api/v1beta/secrets/default/keys/b')
    },
    request: 'GET /api/v1beta/secrets/default/uses',
    answers: {
      status: 200,
      json: {
        uses: [
          { key: 'a', workloads: ['one'] },
          { key: 'b', workloads: ['one', 'two'] },
        ],
      },
    },
  })
  scenario('are none where there is no provider', {
    request: 'GET /api/v1beta/secrets/default/uses',
    answers: { status: 200, json: { uses: [] } },
  })
})
