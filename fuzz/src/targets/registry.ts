import { isDeepStrictEqual } from 'node:util'
import { parseRegistryText } from '@toolhaven/stores/registry/parse-registry'
import { changedText } from '../changed-text.ts'
import { takenOrRefused } from '../refusal.ts'
import { pureTarget, textOf } from '../target.ts'

const SERVER = {
  description: 'a server',
  image: 'example.com/server:1.0',
  status: 'Active',
  tier: 'Community',
  transport: 'stdio',
  tools: ['echo'],
  args: ['--quiet'],
  env_vars: [{ name: 'TOKEN', description: 'a token', required: true, secret: true }],
  permissions: { network: { outbound: { allow_host: ['example.com'], allow_port: [443] } }, read: [], write: [] },
  metadata: { stars: 1, pulls: 2, last_updated: '2026-01-01T00:00:00Z' },
}
const REMOTE = { ...SERVER, image: undefined, url: 'https://example.com/mcp', transport: 'streamable-http' }
const GOOD = [
  { version: '1.0.0', last_updated: '2026-01-01T00:00:00Z', servers: { one: SERVER }, remote_servers: { far: REMOTE } },
  { version: '1.0.0', last_updated: '2026-01-01T00:00:00Z', servers: {} },
].map((document) => JSON.stringify(document))

const WORDS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    'null',
    '"',
    '"__proto__":{},',
    '"constructor":1,',
    '\\u0000',
    '\\ud800',
    '-0',
    '1e999',
  ],
  ...['"servers":', '"image":"../x",', '"name":"x",', '"tools":null,', '"url":"file:///x",', '"status":"Deprecated",'],
]

export const registry = pureTarget(
  { name: 'registry', about: 'Registry documents: taken or refused with a sentence, and the same when read again' },
  (seeds) => changedText(GOOD, WORDS, seeds),
  (input) =>
    takenOrRefused(() => {
      const document = parseRegistryText(textOf(input), 'the registry')
      const again = parseRegistryText(JSON.stringify(document), 'the registry')
      if (!isDeepStrictEqual(again, document)) throw new Error('a registry that was written again says something else')
      const { servers, remote_servers: remote = {} } = document
      return `taken: ${Object.keys(servers).length} servers, ${Object.keys(remote).length} remote`
    }),
)
