import { expect, test } from 'vitest'
import { indexPlaces } from './index-places.ts'
import { tokensInUse } from './npm-tokens.ts'

const REGISTRIES = ['https://npm.example/', 'https://npm.corp:8443/team/', 'http://127.0.0.1:4873/']

test('only the credentials of registries in use are kept, and every other setting', () => {
  const npmrc = [
    'registry=https://npm.example/',
    '//npm.example/:_authToken=main',
    '//npm.corp:8443/team/:_authToken=corp',
    '//npm.corp:9999/:_authToken=other-port',
    '//npm.pkg.github.com/:_authToken=elsewhere',
    ' //npm.pkg.github.com/:_password = elsewhere',
    '//127.0.0.1:4873/:username=me',
    '//evil.npm.example/:_authToken=elsewhere',
    '//npm.example:443/:_authToken=written-out',
    '//npm.example:80/:_authToken=other-port',
    'legacy-peer-deps=true',
  ].join('\n')
  const kept = tokensInUse(npmrc, REGISTRIES)
  expect(kept).not.toMatch(/elsewhere|other-port/)
  expect(kept.split('\n')).toHaveLength(6)
})

test('indexes are places with a port', () => {
  expect(indexPlaces([...REGISTRIES, 'https://[::1]/simple', '/opt/wheels', REGISTRIES[0] ?? ''])).toEqual([
    'npm.example:443',
    'npm.corp:8443',
    '127.0.0.1:4873',
    '[::1]:443',
  ])
})
