import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parsePipConfig, readPipSettings } from './pip-settings.ts'
import { isUvCredential, uvIndexVariables } from './uv-variables.ts'

test('a pip configuration is read with its lists and sections', () => {
  const text =
    '# c\n[global]\nindex-url = https://a.example/simple\nextra_index_url =\n    https://b.example\n    https://c.example\n[install]\nindex-url: https://d.example\n[freeze]\nindex-url = no\n'
  expect(parsePipConfig(text)).toEqual({
    'index-url': 'https://d.example',
    'extra-index-url': 'https://b.example\nhttps://c.example',
  })
})

test('variables win over the chosen file, which is read in place of the user’s', async () => {
  const home = await mkdtemp(join(tmpdir(), 'thv-pip-'))
  await mkdir(join(home, '.config', 'pip'), { recursive: true })
  await writeFile(join(home, '.config', 'pip', 'pip.conf'), '[global]\ncert = /user\nproxy = user\ntimeout = 1\n')
  await writeFile(join(home, 'chosen'), '[global]\nproxy = chosen\ntimeout = 2\n')
  const env = { PIP_CONFIG_FILE: join(home, 'chosen'), PIP_TIMEOUT: '3', XDG_CONFIG_DIRS: home }
  const settings = await readPipSettings({ env, homeDir: home })
  expect(settings).toMatchObject({ proxy: 'chosen', timeout: '3' })
  expect(settings['cert']).not.toBe('/user')
  const absent = { PIP_CONFIG_FILE: join(home, 'absent'), XDG_CONFIG_DIRS: home }
  expect(await readPipSettings({ env: absent, homeDir: home })).toMatchObject({ cert: '/user' })
  const none = await readPipSettings({ env: { PIP_CONFIG_FILE: '/dev/null' }, homeDir: home })
  expect(none).toEqual({})
  await rm(home, { recursive: true })
})

test('uv is told the index of pip unless it has one of its own', () => {
  const pip = {
    'index-url': 'https://pip.example',
    'extra-index-url': 'https://b.example\nhttps://c.example',
    'trusted-host': 'h',
  }
  expect(uvIndexVariables({}, pip)).toEqual({
    UV_INDEX_URL: 'https://pip.example',
    UV_EXTRA_INDEX_URL: 'https://b.example https://c.example',
    UV_INSECURE_HOST: 'h',
  })
  expect(uvIndexVariables({ UV_DEFAULT_INDEX: 'https://uv.example' }, pip)).toEqual({
    UV_DEFAULT_INDEX: 'https://uv.example',
    UV_INSECURE_HOST: 'h',
  })
  const empty = uvIndexVariables({ UV_DEFAULT_INDEX: '', UV_INDEX: 'https://first.example' }, pip)
  expect(empty).toMatchObject({ UV_INDEX: 'https://first.example', UV_INDEX_URL: 'https://pip.example' })
})

test('the password of a named index of uv counts as a credential', () => {
  const names = Object.keys(uvIndexVariables({ UV_INDEX_CORP_PASSWORD: 'p', UV_INDEX_CORP_USERNAME: 'u' }, {}))
  expect(names.filter(isUvCredential)).toHaveLength(2)
  expect(['UV_INDEX', 'UV_INDEX_URL', 'UV_DEFAULT_INDEX'].filter(isUvCredential)).toEqual([])
})
