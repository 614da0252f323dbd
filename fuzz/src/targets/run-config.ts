import { isDeepStrictEqual } from 'node:util'
import { parseOutside } from '@toolhaven/contract/parse-outside'
import { runConfig } from '@toolhaven/contract/run-config'
import { invalid } from '@toolhaven/core/errors'
import { parseJson } from '@toolhaven/core/json/strict-json'
import { changedText } from '../changed-text.ts'
import { takenOrRefused } from '../refusal.ts'
import { pureTarget, textOf } from '../target.ts'

const MAX_DEPTH = 32

const GOOD = [
  {
    schema_version: 'v0.1.0',
    name: 'web',
    base_name: 'web',
    image: 'example.com/server:1.0',
    cmd_args: ['--quiet'],
    transport: 'stdio',
    host: '127.0.0.1',
    port: 15_000,
    env_vars: { A: '1' },
    secrets: ['token,target=TOKEN'],
    volumes: ['/data:/data:ro'],
    group: 'default',
    permission_profile: {
      read: [],
      write: [],
      network: { outbound: { allow_host: ['example.com'], allow_port: [443] } },
    },
  },
  { schema_version: 'v0.1.0', name: 'far', remote_url: 'https://example.com/mcp', transport: 'streamable-http' },
].map((config) => JSON.stringify(config))

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
    '\\u0000',
    '\\udfff',
    '-1',
    '1e400',
    '65536',
    '""',
    'true',
  ],
  ...[
    '"port":0,',
    '"image":"npx://x",',
    '"remote_url":"ftp://x",',
    '"name":"../x",',
    '"session_mode":"auto",',
    '"limits":{},',
  ],
]

export const importedConfig = pureTarget(
  {
    name: 'import',
    about: 'Exported run configurations: taken or refused with a sentence, and the same when read again',
  },
  (seeds) => changedText(GOOD, WORDS, seeds),
  (input) => takenOrRefused(() => read(textOf(input))),
)

function read(text: string): string {
  const parsed = parseOutside(runConfig, parseJson(text, { maxDepth: MAX_DEPTH }))
  if (!parsed.success) throw invalid(parsed.error.issues.map(({ message }) => message).join('; '))
  const again = parseOutside(runConfig, parseJson(JSON.stringify(parsed.data), { maxDepth: MAX_DEPTH }))
  if (!again.success || !isDeepStrictEqual(again.data, parsed.data))
    throw new Error('a configuration that was written again says something else')
  return `taken: ${Object.keys(parsed.data).length} fields`
}
