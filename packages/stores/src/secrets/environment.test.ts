import { expect, test } from 'vitest'
import { createEnvironmentSecrets } from './environment.ts'

const secrets = createEnvironmentSecrets({
  PATH: '/bin',
  SECRET: 'of another program',
  TOOLHAVEN_SECRET_: 'without a name',
  TOOLHAVEN_SECRET_EMPTY: '',
  TOOLHAVEN_SECRET_GITHUB_TOKEN: 'the-token',
  TOOLHAVEN_SECRET_search: 'in small letters',
  TOOLHAVEN_SECRET_SEARCH: 'in capitals',
})

test('a secret is the variable of its name, written as shells want it', async () => {
  for (const key of ['GITHUB_TOKEN', 'github-token', 'github.token', 'github_token'])
    expect(await secrets.get(key)).toBe('the-token')
})

test('a variable of exactly the name comes first', async () => {
  expect([await secrets.get('search'), await secrets.get('SEARCH'), await secrets.get('Search')]).toEqual([
    'in small letters',
    'in capitals',
    'in capitals',
  ])
})

test('variables of others and empty ones are no secrets', async () => {
  for (const key of ['PATH', '', 'EMPTY', 'empty', 'TOOLHAVEN_SECRET_GITHUB_TOKEN', '../PATH', 'constructor'])
    expect(await secrets.get(key)).toBeUndefined()
  expect(await secrets.list()).toEqual([
    { key: 'GITHUB_TOKEN', description: 'TOOLHAVEN_SECRET_GITHUB_TOKEN' },
    { key: 'search', description: 'TOOLHAVEN_SECRET_search' },
    { key: 'SEARCH', description: 'TOOLHAVEN_SECRET_SEARCH' },
  ])
})

test('nothing is written, and the refusal names the variable', async () => {
  await expect(secrets.set('github-token', 'canary')).rejects.toMatchObject({
    code: 'unsupported',
    message: /read only; set TOOLHAVEN_SECRET_GITHUB_TOKEN where the daemon runs/,
  })
  await expect(secrets.delete('github-token')).rejects.toMatchObject({
    code: 'unsupported',
    message: /unset TOOLHAVEN_SECRET_GITHUB_TOKEN/,
  })
})
