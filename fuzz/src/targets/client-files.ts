import { CLIENT_TYPES } from '@toolhaven/contract/client-types'
import { fc } from '@toolhaven/testing/properties'
import { CLIENT_PROGRAMS } from '@toolhaven/stores/clients/catalogue'
import type { OwnedFile } from '@toolhaven/stores/clients/owned-entries'
import { planEntries } from '@toolhaven/stores/clients/plan-entries'
import { madeFile } from '@toolhaven/stores/testing/made-files'
import { madeYaml } from '@toolhaven/stores/testing/made-yaml'
import { entriesIn } from '@toolhaven/stores/adopt/entry-text'
import { serverDefinition } from '@toolhaven/stores/adopt/server-definition'
import { changedText } from '../changed-text.ts'
import { takenOrRefused } from '../refusal.ts'
import { pureTarget, textOf } from '../target.ts'

const GOOD = [
  '{\n  // mine\n  "mcpServers": { "own": { "command": "x", "args": ["a"], "env": { "A": "b" } } },\n}\n',
  '{"servers":{"own":{"url":"http://127.0.0.1:1/mcp","type":"http"}}}',
  'GOOSE_MODE: auto # c\nextensions:\n  own:\n    type: stdio\n    cmd: npx\n    args: [-y, x]\n    envs: {A: b}\n',
  'name: mine\nmcpServers:\n  # c\n  - name: own\n    url: "http://127.0.0.1:1/mcp"\n    type: sse\nrules: []\n',
  '{\r\n\t"amp.mcpServers": {\r\n\t\t"one": { "url": "http://127.0.0.1:4000/mcp", "type": "sse" }\r\n\t}\r\n}',
]
const WORDS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '//',
    '/*',
    '*/',
    '\n',
    '\r\n',
    '\t',
    '\\',
    'null',
    '1',
    '"a"',
    '"a":{},',
    '\ufeff',
  ],
  ...[
    '"mcpServers":',
    '"servers":{},',
    '"amp.mcpServers":',
    '"__proto__":{},',
    '"one":{},',
    '"url":"x",',
    '"serverUrl":1,',
  ],
  ...[
    'extensions:',
    'mcpServers:',
    '  ',
    '- ',
    '? ',
    '&a ',
    '*a',
    '<<: ',
    '!!set ',
    '---',
    '...',
    '|+',
    '>-',
    '# c',
    'uri: x',
    '~',
  ],
]

const NOBODY: OwnedFile = { path: 'settings.json', footprint: {}, entries: [] }
const wanted = (...ports: number[]) =>
  new Map(ports.map((port) => [`w${port}`, { url: `http://127.0.0.1:${port}/mcp`, transport: 'sse' as const }]))

/** Adds entries to the file, changes them and removes them again. */
function roundTrip(client: (typeof CLIENT_TYPES)[number], found: string): void {
  const program = CLIENT_PROGRAMS[client]
  let text: string | null = found
  let owned = NOBODY
  for (const all of [wanted(4000), wanted(4000, 4001), wanted(4001), new Map()]) {
    const plan = planEntries({ client, program, found: text, owned, wanted: all })
    text = plan.text
    owned = { path: NOBODY.path, entries: plan.entries, footprint: plan.footprint }
  }
  if (text !== found) throw new Error(`the file of ${client} did not come back: ${JSON.stringify(text)}`)
}

export const clientFiles = pureTarget(
  { name: 'client-files', about: 'Files of AI clients: refused with a sentence, or given back byte for byte' },
  (seeds) =>
    fc.oneof(
      changedText(GOOD, WORDS, seeds),
      madeFile.map((text) => text ?? ''),
      madeYaml('extensions'),
      madeYaml('mcpServers'),
    ),
  (input) => {
    const outcomes = CLIENT_TYPES.map((client) =>
      takenOrRefused(() => {
        roundTrip(client, textOf(input))
        const entries =
          textOf(input).trim() === '' ? [] : entriesIn(textOf(input), NOBODY.path, CLIENT_PROGRAMS[client])
        for (const { key, value } of entries) serverDefinition(key, value)
        return `${entries.length} entries`
      }),
    )
    return [...new Set(outcomes)].join(', ')
  },
)
