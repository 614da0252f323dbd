import { isDeepStrictEqual } from 'node:util'
import { printable } from '@toolhaven/contract/visible-text'
import { isThvError } from '@toolhaven/core/errors'
import { collectServers } from '@toolhaven/stores/registry/collect-servers'
import { checkRegistry, readRegistryJson } from '@toolhaven/stores/registry/parse-registry'
import { fc } from '@toolhaven/testing/properties'
import * as z from 'zod'
import { changedText, kindOf } from '../changed-text.ts'
import { type Json, type Target, textOf } from '../target.ts'

const INPUT = { name: 'TOKEN', description: 'a token', isRequired: true, isSecret: true, default: 'x', choices: ['x'] }
const ARGUMENTS = [
  { type: 'positional', value: 'serve', valueHint: 'command' },
  { type: 'named', name: '--root', value: '{root}', variables: { root: { isRequired: true } } },
]
const NPM = {
  ...{ registryType: 'npm', identifier: '@team/server', version: '1.0.0', transport: { type: 'stdio' } },
  ...{
    environmentVariables: [INPUT],
    packageArguments: ARGUMENTS,
    runtimeArguments: [{ type: 'positional', value: '-y' }],
  },
}
const OCI = {
  ...{ registryType: 'oci', identifier: 'images.example/team/server:1.0', registryBaseUrl: 'https://images.example' },
  transport: { type: 'sse', url: 'http://localhost:{PORT}/sse', headers: [{ name: 'X-A', value: 'b' }] },
  environmentVariables: [{ name: 'PORT', default: '80' }],
  runtimeArguments: [{ type: 'named', name: '-e', value: 'A={b}', variables: { b: { default: 'c' } } }],
}
const REMOTE = {
  type: 'streamable-http',
  url: 'https://{a}.example/mcp',
  variables: { a: { default: 'b' } },
  headers: [INPUT],
}
const SAID = {
  status: 'active',
  isLatest: true,
  publishedAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-02T00:00:00Z',
}
const GOOD = [
  { packages: [NPM] },
  { packages: [OCI] },
  { remotes: [REMOTE] },
  { packages: [NPM], remotes: [REMOTE] },
].map((more, at) =>
  JSON.stringify([
    {
      server: { name: `com.example/server-${at}`, description: 'a server', version: '1.0.0', ...more },
      _meta: { 'io.modelcontextprotocol.registry/official': SAID },
    },
  ]),
)
const WORDS = [
  ...['{', '}', '[', ']', ',', ':', 'null', '"', '"constructor":1,', '\\u0000', '\\ud800', '\\u001b[2J', '-0', '{x}'],
  ...['"status":"deleted",', '"registryType":"pypi",', '"identifier":"--x",', '"url":"file:///x",', '"version":"^1",'],
  ...[
    '"name":"--mount",',
    '"value":"/:/x",',
    '"type":"named",',
    '"isRequired":true,',
    '"default":"",',
    '"version":null,',
  ],
]
/** Values that may replace any other value. */
const VALUES: readonly Json[] = [
  ...[
    null,
    true,
    false,
    0,
    1e308,
    [],
    {},
    [null],
    '',
    'x',
    '{x}',
    '{root}',
    'a\0b',
    '\ud800',
    '\u001b[2J',
    '\u202e',
    '../x',
  ],
  ...[
    'npm',
    'pypi',
    'oci',
    'nuget',
    'stdio',
    'sse',
    'streamable-http',
    'positional',
    'named',
    'deleted',
    'latest',
    '__proto__',
  ],
  ...[
    '--mount',
    '-e',
    'A=B',
    '=',
    'git+https://x.example/y',
    'npx://x',
    'x'.repeat(300),
    'images.example/x@sha256:',
    '1.0.0',
  ],
  ...[
    'http://localhost:3000/mcp',
    'http://127.0.0.1/sse',
    'https://a:b@x.example/mcp',
    'https://[::1]/mcp',
    'javascript:x',
  ],
]

/** The text of a valid list in which some values were replaced. */
const changedValues = fc
  .tuple(
    fc.constantFrom(...GOOD),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...VALUES)), { minLength: 1, maxLength: 4 }),
  )
  .map(([text, changes]) =>
    changes.reduce((changed, [where, value]) => {
      const places = [...changed.matchAll(/(?<=[:[,])(?:"(?:[^"\\]|\\.)*"(?!:)|true|false|null|\d+)/g)]
      const place = places[where % Math.max(places.length, 1)]
      if (!place) return changed
      return changed.slice(0, place.index) + JSON.stringify(value) + changed.slice(place.index + place[0].length)
    }, text),
  )

const list = new URL('https://registry.example/v0.1/servers')

export const serverJson: Target = {
  name: 'server-json',
  about: 'Servers of MCP registries: entries of ours that hold, or left out with a short and printable reason',
  open: async (seeds) => ({
    inputs: fc.oneof(
      { weight: 4, arbitrary: changedValues },
      { weight: 1, arbitrary: changedText(GOOD, WORDS, seeds) },
    ),
    check: async (input) => {
      const servers = readServers(textOf(input))
      if (typeof servers === 'string') return servers
      const { leftOut = [], ...document } = await collectServers(servers, { list, now: 0 })
      if (!isDeepStrictEqual(checkRegistry(structuredClone(document), 'the list'), document))
        throw new Error('an entry says something else when it is read again')
      for (const { name, reason } of leftOut)
        if (reason === '' || `${name}${reason}`.length > 600 || printable(name + reason) !== name + reason)
          throw new Error(`a server is left out for ${JSON.stringify({ name, reason })}`)
      const kinds = [document.servers, document.remote_servers ?? {}].map((all) => Object.keys(all).length)
      return `taken: ${kinds.join(' and ')}; left out: ${leftOut.map(({ reason }) => kindOf(reason)).join()}`
    },
    async [Symbol.asyncDispose]() {},
  }),
}

function readServers(text: string): unknown[] | string {
  try {
    return z.array(z.unknown()).catch([]).parse(readRegistryJson(text, 'the list'))
  } catch (error) {
    if (!isThvError(error, 'invalid')) throw error
    return `refused: ${kindOf(error.message)}`
  }
}
