import { expect, test } from 'vitest'
import { mismatch } from './signer-identity.ts'

const REPOSITORY = 'https://git.example.com/team/server'
const found = {
  name: `${REPOSITORY}/.ci/release.yml@refs/tags/v1`,
  issuer: 'https://id.example.com',
  repository: REPOSITORY,
  ref: 'refs/tags/v1',
  runner: 'hosted',
}
const expected = { cert_issuer: found.issuer, repository_uri: REPOSITORY }

test.each([
  ['by its repository alone', {}],
  ['by a path in its repository', { signer_identity: '/.ci/release.yml' }],
  ['by its whole name', { signer_identity: found.name }],
  ['by its name of any ref', { signer_identity: `${REPOSITORY}/.ci/release.yml` }],
  ['by ref and runner', { repository_ref: 'refs/tags/v1', runner_environment: 'hosted' }],
  ['by a repository written as it is cloned', { repository_uri: `${REPOSITORY}.git` }],
])('a signer is known %s', (_how, fields) => {
  expect(mismatch(found, { ...expected, ...fields })).toBeUndefined()
})

test.each([
  ['another issuer', { cert_issuer: 'https://id.example.co' }, 'vouched for by https://id.example.com'],
  ['another repository', { repository_uri: `${REPOSITORY}2` }, 'from the repository'],
  ['another path', { signer_identity: '/.ci/other.yml' }, 'but should be by /.ci/other.yml'],
  ['a part of its name', { signer_identity: `${REPOSITORY}/.ci/release` }, 'it is signed by'],
  ['a pattern that would match', { signer_identity: '.*' }, 'it is signed by'],
  ['another ref', { repository_ref: 'refs/tags/v2' }, 'of the ref refs/tags/v1'],
  ['another runner', { runner_environment: 'own' }, 'on a runner hosted'],
])('a signer is not taken for %s', (_what, fields, said) => {
  expect(mismatch(found, { ...expected, ...fields })).toContain(said)
})

test('a certificate without a repository is nobody’s', () => {
  const { name, issuer } = found
  expect(mismatch({ name, issuer }, expected)).toContain('nobody knows which')
})
