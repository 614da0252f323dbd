import { expect, test } from 'vitest'
import { indexPlaces } from './index-places.ts'
import { defaultPythonIndex, withFileHosts } from './default-indexes.ts'
import { defaultNpmIndex } from './npm.ts'

test('npm and pip tell where they look, whatever the user configured', async () => {
  const env = {
    PATH: process.env['PATH'],
    npm_config_registry: 'https://npm.example/',
    PIP_INDEX_URL: 'https://python.example/simple',
  }
  const options = { nodePath: process.execPath, env, homeDir: '/nonexistent' }
  const npm = (await defaultNpmIndex(options, AbortSignal.timeout(60_000))) ?? ''
  const python = await defaultPythonIndex(env, AbortSignal.timeout(60_000))
  for (const place of indexPlaces([npm, ...python])) expect(place).toMatch(/^[a-z.]+:443$/)
  expect(indexPlaces([npm])).toHaveLength(1)
  // None where there is no pip.
  expect([0, 2]).toContain(indexPlaces(python).length)
  expect([npm, ...python].join(' ')).not.toContain('example')
})

test('the default index brings the host of its files along, another one does not', () => {
  const python = ['https://index.example/simple', 'https://files.example']
  expect(withFileHosts(['https://index.example/simple/'], python)).toContain('https://files.example')
  expect(withFileHosts(['https://mine.example/simple'], python)).toEqual(['https://mine.example/simple'])
  expect(withFileHosts([''], [])).toEqual([''])
})
