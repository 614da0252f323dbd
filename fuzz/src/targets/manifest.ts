import { isDeepStrictEqual } from 'node:util'
import { parseManifest } from '@toolhaven/stores/manifest/parse-manifest'
import { changedText } from '../changed-text.ts'
import { takenOrRefused } from '../refusal.ts'
import { pureTarget, textOf } from '../target.ts'

const GOOD = [
  'format: 1\n',
  `format: 1
name: laptop
registry: { url: https://example.com/registry.json }
groups: [research]
workloads:
  - name: web # a comment
    image: example.com/server:1.0
    group: research
    env_vars: { A: "1", B: 'two' }
    volumes: ["/data:/data:ro"]
  - name: far
    url: https://example.com/mcp
clients:
  - name: Cursor
    groups: [research]
`,
  'format: 1\nworkloads: &all\n  - &one { name: a, image: b }\n  - { <<: *one, name: c }\n',
]
const WORDS = [
  ...[
    '\n',
    '  ',
    '- ',
    ': ',
    '? ',
    '&a ',
    '*a',
    '*all',
    '<<: ',
    '!!binary ',
    '!x ',
    '|\n',
    '>-\n',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    "'",
    '#',
    '\t',
    'null',
    '~',
    '0x10',
    '1_000',
    '.inf',
    '2026-01-01',
    '__proto__: ',
    'format: 1\n',
  ],
]

export const manifest = pureTarget(
  {
    name: 'manifest',
    about: 'YAML for thv apply: taken or refused with a sentence, and the same when it comes as JSON',
  },
  (seeds) => changedText(GOOD, WORDS, seeds),
  (input) =>
    takenOrRefused(() => {
      const read = parseManifest(textOf(input), 'the file')
      const again = parseManifest(JSON.stringify(read), 'the file')
      if (!isDeepStrictEqual(again, read)) throw new Error('a manifest that was written as JSON says something else')
      return `taken: ${read.workloads.length} workloads, ${read.clients.length} clients`
    }),
)
