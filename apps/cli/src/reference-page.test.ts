import { describe, expect, test } from 'vitest'
import { defineCommand } from './command.ts'
import { COMMANDS, GROUPS } from './commands.ts'
import { type ReferenceTree, referencePages, renderReferencePage } from './reference-page.ts'

const run = async () => {}

const tree: ReferenceTree = {
  summary: 'Runs servers.',
  groups: { group: 'Put workloads together' },
  commands: [
    defineCommand({
      words: 'group rm',
      aliases: ['del'],
      summary: 'Remove a group',
      description: 'Removes a group <name>; {not} code:\n  thv group rm a\n  thv group rm b\n\nDone.',
      args: [{ name: 'name', summary: 'which a|b', required: true, variadic: true }],
      flags: {
        withWorkloads: { type: 'boolean', short: 'w', summary: 'all of it' },
        format: { type: 'text', value: 'format', summary: 'how', choices: ['text', 'json'], default: 'text' },
      },
      examples: [{ command: 'thv group rm old', shows: 'it is gone' }],
      run,
    }),
    defineCommand({ words: 'group list', summary: 'List groups', examples: [], run }),
    defineCommand({ words: 'inner', summary: 'Hidden', hidden: true, examples: [], run }),
  ],
}

describe('a reference page', () => {
  test('has the fixed structure', () => {
    expect(renderReferencePage('group rm', tree)).toBe(`---
title: "thv group rm"
description: "Remove a group"
---

Remove a group.

## Usage

\`\`\`bash
thv group rm [options] <name...>
\`\`\`

Short: \`thv group del\`

| Argument | Meaning |
| --- | --- |
| \`<name...>\` | which a\\|b |

### Examples

\`\`\`bash
# it is gone
thv group rm old
\`\`\`

## Synopsis

Removes a group \\<name\\>; \\{not\\} code:

\`\`\`text
thv group rm a
thv group rm b
\`\`\`

Done.

## Options

| Option | Meaning |
| --- | --- |
| \`-w, --with-workloads\` | all of it |
| \`--format <format>\` | how (one of: text, json) (default: text) |
| \`-h, --help\` | show this help |

## Inherited options

| Option | Meaning |
| --- | --- |
| \`--debug\` | say more about what happens |

## See also

- [thv group](./thv_group.md): Put workloads together
`)
  })

  test('of words that hold commands leads to them, and the page of the program to all first words', () => {
    expect(renderReferencePage('group', tree)).toContain(
      '- [thv](./thv.md): Runs servers\n- [thv group list](./thv_group_list.md): List groups\n',
    )
    const root = renderReferencePage('', tree)
    expect(root).toContain('title: "thv"')
    expect(root.slice(root.indexOf('## See also'))).toBe(
      '## See also\n\n- [thv group](./thv_group.md): Put workloads together\n',
    )
    expect(root).not.toContain('## Inherited options')
  })

  test('is made for every word but hidden ones', () => {
    expect(referencePages(tree).map(({ file }) => file)).toEqual([
      'thv.md',
      'thv_group.md',
      'thv_group_list.md',
      'thv_group_rm.md',
    ])
  })
})

describe('the pages of the real tree', () => {
  const pages = referencePages({ commands: COMMANDS, groups: GROUPS, summary: 'Runs MCP servers' })
  const files = new Set(pages.map(({ file }) => file))

  test('link only to one another', () => {
    const links = pages.flatMap(({ text }) => [...text.matchAll(/\]\(\.\/([^)]+)\)/g)].map(([, file]) => file ?? ''))
    expect(links.length).toBeGreaterThan(files.size)
    expect(links.filter((file) => !files.has(file))).toEqual([])
  })

  test('say of every word what it is for', () => {
    for (const { file, text } of pages) expect(text, file).not.toMatch(/description: "thv/)
  })
})
