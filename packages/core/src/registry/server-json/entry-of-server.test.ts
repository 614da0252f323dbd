import { serverJson } from '@toolhaven/contract/server-json'
import { describe, expect, test } from 'vitest'
import { entryOfServer } from './entry-of-server.ts'

/** As a publisher of a package on npm writes it. */
const npm = { registryType: 'npm', identifier: '@orchard/weather-mcp', version: '2.1.0', transport: { type: 'stdio' } }
const pypi = { registryType: 'pypi', identifier: 'tide-tables', version: '0.4.1', transport: { type: 'stdio' } }
const oci = { registryType: 'oci', identifier: 'ghcr.io/orchard/ledger:3.0.2', transport: { type: 'stdio' } }

function entryOf(said: object, facts: Parameters<typeof entryOfServer>[1] = {}) {
  const file = { name: 'io.github.orchard/weather', description: 'Weather of the next days', version: '2.1.0', ...said }
  return entryOfServer(serverJson.parse(file), facts)
}
const withPackage = (said: object, more: object = {}) => entryOf({ packages: [{ ...npm, ...said }], ...more })
const refusalOf = (said: object, more: object = {}) => {
  try {
    return `no refusal: ${JSON.stringify(withPackage(said, more))}`
  } catch (error) {
    return String(error)
  }
}
const publicIndex = (...labels: string[]) => `https://${labels.join('.')}`

describe('a server.json', () => {
  test('of an npm package becomes an entry with its variables and arguments', () => {
    const entry = entryOf(
      {
        title: 'Weather',
        repository: { url: 'https://github.com/orchard/weather-mcp', source: 'github' },
        packages: [
          {
            ...npm,
            registryBaseUrl: publicIndex('registry', 'npmjs', 'org'),
            runtimeHint: 'npx',
            runtimeArguments: [{ type: 'positional', value: '-y' }],
            packageArguments: [
              { type: 'positional', value: 'serve' },
              { type: 'named', name: '--units', default: 'metric', description: 'Units of the figures' },
              { type: 'named', name: '--stdio' },
              { type: 'named', name: '--cache', description: 'Where to keep answers' },
            ],
            environmentVariables: [
              { name: 'WEATHER_KEY', description: 'Key of the account', isRequired: true, isSecret: true },
              { name: 'WEATHER_LEVEL', description: 'How much it logs', default: 'info', choices: ['info', 'debug'] },
              { name: 'WEATHER_REGION', placeholder: 'eu', default: '' },
            ],
          },
        ],
      },
      { source: 'https://registry.example/v0.1/servers/x/versions/1', status: 'deprecated' },
    )
    expect(entry).toEqual({
      name: 'io.github.orchard/weather',
      description: 'Weather of the next days',
      tier: 'Community',
      status: 'deprecated',
      source: 'https://registry.example/v0.1/servers/x/versions/1',
      repository_url: 'https://github.com/orchard/weather-mcp',
      tools: [],
      image: 'npx://@orchard/weather-mcp@2.1.0',
      transport: 'stdio',
      args: ['serve', '--units', 'metric', '--stdio'],
      env_vars: [
        { name: 'WEATHER_KEY', description: 'Key of the account', required: true, secret: true },
        ...[{ name: 'WEATHER_LEVEL', description: 'How much it logs', required: false, default: 'info' }].map(
          (each) => ({
            ...each,
            choices: ['info', 'debug'],
          }),
        ),
        { name: 'WEATHER_REGION', description: 'eu', required: false },
      ],
    })
  })

  test.each([
    [{ ...pypi }, { image: 'uvx://tide-tables@0.4.1' }],
    [{ ...pypi, version: undefined }, { image: 'uvx://tide-tables' }],
    [{ ...pypi, registryBaseUrl: publicIndex('pypi', 'org') }, { image: 'uvx://tide-tables@0.4.1' }],
    [{ ...oci }, { image: 'ghcr.io/orchard/ledger:3.0.2' }],
    [{ ...oci, identifier: 'orchard/ledger', version: '3.0.2' }, { image: 'orchard/ledger:3.0.2' }],
    [
      { ...oci, identifier: 'orchard/ledger', version: '3.0.2', registryBaseUrl: 'https://docker.io' },
      { image: 'docker.io/orchard/ledger:3.0.2' },
    ],
    [
      {
        ...oci,
        runtimeArguments: [
          { type: 'named', name: '-e', value: 'BOOK={book}', variables: { book: { isRequired: true } } },
        ],
      },
      { env_vars: [{ name: 'BOOK', description: 'in the form <book>', required: true }] },
    ],
    [
      {
        ...npm,
        transport: { type: 'streamable-http', url: 'http://localhost:{PORT}/mcp' },
        environmentVariables: [{ name: 'PORT', default: '8123' }],
      },
      { transport: 'streamable-http', target_port: 8123 },
    ],
    [
      { ...npm, transport: { type: 'sse', url: 'http://127.0.0.1:3001/sse' } },
      { transport: 'sse', target_port: 3001 },
    ],
    // What only a person knows has to be said by the run.
    [
      {
        ...npm,
        packageArguments: [
          { type: 'named', name: '--root', isRequired: true },
          { type: 'positional', valueHint: 'book', isRequired: true },
        ],
      },
      { args_needed: ['--root', '<root>', '<book>'] },
    ],
  ])('of the package %o is read', (said, entry) => {
    expect(entryOf({ packages: [said] })).toMatchObject(entry)
  })

  test('of a remote server becomes a remote entry with its headers', () => {
    const remotes = [
      { type: 'sse', url: 'https://weather.example/sse' },
      {
        type: 'streamable-http',
        url: 'https://{region}.weather.example/mcp',
        variables: { region: { default: 'eu' } },
        headers: [
          {
            name: 'Authorization',
            description: 'Token',
            value: 'Bearer {token}',
            variables: { token: { isRequired: true, isSecret: true } },
          },
          { name: 'X-Client', value: 'directory' },
        ],
      },
    ]
    expect(entryOf({ remotes })).toMatchObject({
      url: 'https://eu.weather.example/mcp',
      transport: 'streamable-http',
      headers: [
        { name: 'Authorization', description: 'Token, in the form Bearer <token>', required: true, secret: true },
        { name: 'X-Client', description: '', required: false, default: 'directory' },
      ],
    })
  })

  test('gives the package that runs anywhere before an image, an image before an address, and none that cannot run', () => {
    const nuget = { ...npm, registryType: 'nuget', identifier: 'Orchard.Weather' }
    const remotes = [{ type: 'streamable-http', url: 'https://weather.example/mcp' }]
    expect(entryOf({ packages: [nuget, oci, pypi], remotes })).toMatchObject({ image: 'uvx://tide-tables@0.4.1' })
    expect(entryOf({ packages: [nuget, oci], remotes })).toMatchObject({ image: 'ghcr.io/orchard/ledger:3.0.2' })
    expect(entryOf({ packages: [nuget], remotes })).toMatchObject({ url: 'https://weather.example/mcp' })
    expect(() => entryOf({ packages: [nuget] })).toThrow('nuget packages are not supported')
    expect(() => entryOf({})).toThrow('it names no package and no address')
  })
})

describe('a hostile server.json', () => {
  test.each([
    [
      'a package from a repository',
      { identifier: 'git+https://evil.example/x.git' },
      'is not the name of an npm package',
    ],
    ['a package from a folder', { identifier: 'file:../../home' }, 'is not the name of an npm package'],
    ['a path', { identifier: '../evil' }, 'is not the name of an npm package'],
    ['an option of npm', { identifier: '--registry=https://evil.example' }, 'is not the name of an npm package'],
    ['a second package', { identifier: 'x evil' }, 'is not the name of an npm package'],
    ['a version that is an address', { version: 'https://evil.example/x.tgz' }, 'is not an exact version'],
    ['a range', { version: '^1.0.0' }, 'is not an exact version'],
    ['another index', { registryBaseUrl: 'https://evil.example' }, 'fetches packages only from the index'],
    [
      'an index that looks like the public one',
      { registryBaseUrl: 'https://npmjs.org.evil.example' },
      'fetches packages only from',
    ],
    ['no address of an index', { registryBaseUrl: 'npm' }, 'fetches packages only from'],
    ['an image that is an option', { ...oci, identifier: '--privileged' }, 'nor a valid image reference'],
    ['an image with a scheme', { ...oci, identifier: 'npx://evil' }, 'nor a valid image reference'],
    ['an image that is a path', { ...oci, identifier: '/etc' }, 'nor a valid image reference'],
    ['a file with a hash', { fileSha256: 'a'.repeat(64) }, 'gives a hash'],
    ['a bundle', { registryType: 'mcpb', identifier: 'https://x.example/a.mcpb' }, 'mcpb packages are not supported'],
    ['a kind that drives the terminal', { registryType: '\u001b[2Jnpm' }, String.raw`\u{1b}[2Jnpm packages`],
    ['another transport', { transport: { type: 'websocket' } }, 'its transport is websocket'],
    ['a server elsewhere', { transport: { type: 'sse', url: 'https://evil.example/sse' } }, 'Toolhaven calls it at'],
    [
      'a port that nobody knows',
      { transport: { type: 'sse', url: 'http://localhost:{PORT}/sse' } },
      'Toolhaven calls it at',
    ],
    [
      'a variable that ends another',
      { environmentVariables: [{ name: 'A=B' }] },
      'must be an environment variable name',
    ],
    ['a prototype', { environmentVariables: [{ name: '__proto__' }] }, 'is not a usable variable name'],
    ['half a character', { environmentVariables: [{ name: 'A', default: '\ud800' }] }, 'half of a surrogate pair'],
    ['a NUL in an argument', { packageArguments: [{ type: 'positional', value: 'a\0b' }] }, 'NUL'],
    ['a NUL in a default', { environmentVariables: [{ name: 'A', default: '\0' }] }, 'NUL'],
  ])('with %s has no entry', (_, said, reason) => {
    expect(refusalOf(said)).toContain(reason)
  })

  test.each(['--mount', '-v', '--volume', '--network', '--privileged', '--add-host', '--env-file', '--entrypoint'])(
    'cannot give its container %s',
    (name) => {
      const argument = { type: 'named', name, value: 'host' }
      expect(refusalOf({ ...oci, runtimeArguments: [argument] })).toContain(`it passes ${name} to docker`)
      const inWords = [name, 'host'].map((value) => ({ type: 'positional', value }))
      expect(refusalOf({ ...oci, runtimeArguments: inWords })).toContain(`it passes ${name} to docker`)
    },
  )

  test('cannot have npx or uvx fetch something else', () => {
    const other = [{ type: 'named', name: '--package', value: 'evil' }]
    expect(refusalOf({ runtimeArguments: other })).toContain('it passes --package to npx')
    expect(refusalOf({ runtimeArguments: [{ type: 'named', name: '-y', value: 'evil' }] })).toContain(
      'it passes -y to npx',
    )
    const from = [{ type: 'named', name: '--from', value: 'git+https://evil.example' }]
    expect(refusalOf({ ...pypi, runtimeArguments: from })).toContain('it passes --from to uvx')
  })

  test.each([
    ['javascript:alert(1)', 'must be a valid address'],
    ['file:///etc/passwd', 'must be a valid address'],
    ['https://{tenant}.example/mcp', 'has parts that you must choose'],
    ['', 'its remote server has no address'],
  ])('has no entry for a server at %j', (url, reason) => {
    expect(() => entryOf({ remotes: [{ type: 'streamable-http', url }] })).toThrow(reason)
  })

  test.each([
    ['../../etc/passwd', 'its name must'],
    ['io.github.x/..', 'its name must'],
    ['x'.repeat(150), 'its name must'],
    ['io.github.x/we\0ather', 'its name must not contain a NUL'],
    ['io.github.x/wëather', 'its name must'],
    ['', 'its name must'],
  ])('cannot be called %j', (name, reason) => {
    expect(() => entryOf({ name, packages: [npm] })).toThrow(reason)
  })

  test('says nothing of permissions, folders, tiers or other entries, and links to no script', () => {
    const entry = entryOf({
      ...{ permissions: { read: ['/'] }, volumes: ['/:/host'], network_mode: 'host', folder: '/', tier: 'Official' },
      repository: { url: 'javascript:alert(1)' },
      packages: [{ ...npm, permissions: { privileged: true }, command: 'sh' }],
    })
    expect(entry).toEqual({
      ...{ name: 'io.github.orchard/weather', description: 'Weather of the next days', tier: 'Community' },
      ...{ status: 'active', tools: [], image: 'npx://@orchard/weather-mcp@2.1.0', transport: 'stdio' },
    })
  })

  test('is answered with a short reason, however long it is', () => {
    const packages = Array.from({ length: 300 }, (_, at) => ({ ...npm, registryType: `kind-${at}` }))
    expect(() => entryOf({ packages })).toThrow(/^.{1,310}$/)
  })
})
