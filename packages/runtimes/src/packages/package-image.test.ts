import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { parsePipConfig, pipConfForBuild } from '../package-index/pip-settings.ts'
import { pythonSettings } from '../package-index/python-settings.ts'
import { buildConfig } from './build-config.ts'
import { DEFAULT_BASE_IMAGES, renderPackageImage, type PackageSource } from './package-image.ts'
import { tar } from './tar.ts'
import { npmrcForBuild } from '../package-index/npmrc.ts'

const NPX: PackageSource = { kind: 'package', scheme: 'npx', name: '@scope/server', version: '1.2.3' }
const UVX: PackageSource = { kind: 'package', scheme: 'uvx', name: 'mcp-server', version: '2.0' }
const GO: PackageSource = { kind: 'package', scheme: 'go', name: 'example.com/a/tool/v2', version: 'v2.0.0' }

describe('the recipe of a package image', () => {
  test.each([NPX, UVX, GO])('$scheme: equal input makes an equal tag, any change another', (source) => {
    const { tag } = renderPackageImage(source, {})
    expect(renderPackageImage({ ...source }, {}).tag).toBe(tag)
    const other = source.scheme === 'go' ? 'v9.0.0' : '9.0.0'
    expect(renderPackageImage({ ...source, version: other }, {}).tag).not.toBe(tag)
    expect(renderPackageImage(source, {}, { caCertificate: 'PEM' }).tag).not.toBe(tag)
    expect(renderPackageImage(source, {}, { installHosts: ['example.com'] }).tag).not.toBe(tag)
    expect(renderPackageImage(source, { [source.scheme]: 'ghcr.io/my/base:1' }).tag).not.toBe(tag)
    expect(tag).toMatch(new RegExp(`^toolhaven\\.local/${source.scheme}-[a-z0-9-]+:[0-9a-f]{32}$`))
  })

  test('starts from the ordinary images unless told otherwise', () => {
    expect(renderPackageImage(NPX, {}).dockerfile).toContain(`FROM ${DEFAULT_BASE_IMAGES.npx}\n`)
    expect(renderPackageImage(NPX, { npx: 'ghcr.io/my/node:1' }).dockerfile).toContain('FROM ghcr.io/my/node:1\n')
  })

  test('keeps names of npm and Python packages out of the Dockerfile', () => {
    expect(renderPackageImage(NPX, {}).dockerfile).not.toContain('scope')
    expect(JSON.parse(renderPackageImage(NPX, {}).files['package.json'] ?? '')).toMatchObject({
      dependencies: { '@scope/server': '1.2.3' },
    })
    expect(renderPackageImage(UVX, {}).dockerfile).not.toContain('mcp-server')
    expect(renderPackageImage(UVX, {}).files['requirements.txt']).toBe('mcp-server==2.0\n')
  })

  test('names the Go command without its major version', () => {
    expect(renderPackageImage(GO, {}).dockerfile).toContain('ENTRYPOINT ["/app/tool"]')
  })

  test.each([NPX, UVX, GO])(
    '$scheme: the user configuration reaches the first stage only, and scripts run as an ordinary user',
    (source) => {
      const { dockerfile } = renderPackageImage(source, {}, { caCertificate: 'PEM' })
      const [, install = '', last = ''] = dockerfile.split('\n\n')
      expect(install).not.toMatch(/npmrc|COPY pip\.conf|build\/config|ARG/)
      expect(install).toMatch(/\nUSER 65532:65532\nRUN [^\n]*install/)
      expect(last).not.toMatch(/npmrc|pip\.conf|RUN/)
      expect(last).toContain('USER 65532:65532')
      for (const line of dockerfile.split('\n').filter((text) => text.startsWith('RUN')))
        expect(line).toMatch(/^RUN \["/)
    },
  )

  test.each([
    { ...NPX, name: 'x"; RUN evil' },
    { ...NPX, version: '1.0.0\nRUN evil' },
    { ...UVX, name: '-r/etc/passwd' },
    { ...UVX, name: 'a==1\nb' },
    { ...GO, name: 'example.com/x", "sh' },
  ])('refuses $scheme $name $version', (source) => {
    expect(() => renderPackageImage(source, {})).toThrow()
  })

  test('refuses a base image that is not an image reference', () => {
    expect(() => renderPackageImage(NPX, { npx: 'node\nRUN evil' })).toThrow(/is not an image reference/)
  })
})

test('the archive is one that tar reads', () => {
  const files = { Dockerfile: 'FROM scratch\n', 'with-ümlaut.txt': 'grüße', empty: '', block: 'x'.repeat(512) }
  const list = execFileSync('tar', ['-tvf', '-'], { input: tar(files), env: { LC_ALL: 'C.UTF-8' } }).toString()
  for (const name of ['Dockerfile', 'empty', 'block']) expect(list).toContain(name)
  expect(execFileSync('tar', ['-xOf', '-', 'with-ümlaut.txt'], { input: tar(files) }).toString()).toBe('grüße')
  expect(execFileSync('tar', ['-xOf', '-', 'block'], { input: tar(files) }).toString()).toBe('x'.repeat(512))
})

test('a folder in the archive belongs to its owner, whatever the number', () => {
  const folders = [0, 1000, 2_097_151, 2_097_152, 2_000_000_000].map((owner) => ({ name: `of-${owner}`, owner }))
  const input = tar({}, 0o644, folders)
  const list = execFileSync('tar', ['--numeric-owner', '-tvf', '-'], { input }).toString()
  expect([...list.matchAll(/(\d+)\/(\d+) .* of-(\d+)\//g)].map(([, ...ids]) => new Set(ids).size)).toEqual([
    1, 1, 1, 1, 1,
  ])
})

describe('what of the user configuration goes into a build', () => {
  test('npm: registries, credentials and proxies, variables resolved, host paths left out', () => {
    const text = [
      'registry=https://npm.example/',
      '@corp:registry = https://corp.example/',
      '//corp.example/:_authToken=${TOKEN}',
      'prefix=/home/me/.npm',
      'cafile=/home/me/ca.pem',
      'ignore-scripts=true',
      '; //x/:_authToken=comment',
      '//corp.example/:username=${UNSET}',
    ].join('\r\n')
    expect(npmrcForBuild([text], { TOKEN: 's3cret' })).toBe(
      'registry=https://npm.example/\n@corp:registry=https://corp.example/\n//corp.example/:_authToken=s3cret\nignore-scripts=true\n//corp.example/:username=${UNSET}\n',
    )
  })

  test('npm: variables win over files, in either case, and each setting is there once', () => {
    const env = {
      NPM_CONFIG_REGISTRY: 'https://variable.example/',
      'npm_config_@corp:registry': 'https://corp.example/',
      npm_config_ignore_scripts: 'false',
      'npm_config_//corp.example/:_authToken': 's3cret',
      npm_config_https_proxy: '',
      npm_config_noproxy: 'a\n//evil.example/:_authToken=x',
      npm_config_cafile: '/home/me/ca.pem',
    }
    expect(
      npmrcForBuild(['registry=https://global.example/\nignore-scripts', 'registry="https://file.example/"'], env),
    ).toBe(
      'registry=https://variable.example/\nignore-scripts=false\n@corp:registry=https://corp.example/\n//corp.example/:_authToken=s3cret\n',
    )
  })

  test('pip: its indexes, several lines of them, and nothing that only this machine has', () => {
    const pip = {
      'index-url': 'https://a.example/simple',
      'extra-index-url': 'https://b.example\nhttps://c.example',
      'find-links': '/opt/wheels\nhttps://d.example/links',
      cert: '/home/me/ca.pem',
      target: '/somewhere',
    }
    expect(pipConfForBuild(pip)).toBe(
      '[global]\nindex-url = https://a.example/simple\nextra-index-url = https://b.example\n  https://c.example\nfind-links = https://d.example/links\n',
    )
    expect(parsePipConfig(pipConfForBuild(pip))).toMatchObject({ 'extra-index-url': pip['extra-index-url'] })
    expect(pipConfForBuild({ 'no-index': 'true', 'find-links': '/opt/wheels' })).toBe('[global]\nno-index = true\n')
  })

  test('Go: the settings of the user, with hosts of private modules in reach', () => {
    const go = {
      GOPROXY: 'https://me:word@goproxy.example',
      GOPRIVATE: 'git.corp.example',
      GONOSUMDB: 'git.corp.example',
    }
    const { variables, indexes, installEnv } = buildConfig('go', {
      go,
      defaults: { go: { GOPROXY: 'https://usual.example' } },
    })
    expect({ variables, installEnv }).toEqual({ variables: go, installEnv: {} })
    expect(indexes).toEqual(['goproxy.example:443', 'git.corp.example:443'])
  })

  test('Python: indexes that uv asks first are refused, because pip would take what any of them has', () => {
    const build = (env: Record<string, string>) => buildConfig('uvx', { python: pythonSettings(env, {}) })
    const UV_INDEX = 'corp=https://corp.example/simple'
    expect(() => build({ UV_INDEX })).toThrow(/UV_DEFAULT_INDEX/)
    expect(build({ UV_INDEX, UV_INDEX_STRATEGY: 'unsafe-best-match' }).config).toContain(
      'extra-index-url = https://corp',
    )
    const named = { UV_DEFAULT_INDEX: UV_INDEX, UV_INDEX_CORP_USERNAME: 'me', UV_INDEX_CORP_PASSWORD: 'a b' }
    expect(build(named).config).toContain('index-url = https://me:a%20b@corp.example/simple')
    expect(build(named).indexes).toEqual(['corp.example:443'])
  })
})
