import { describe, expect, it } from 'vitest'
import { parseManifest } from './parse-manifest.ts'

const parse = (text: string) => parseManifest(text, 'toolhaven.yaml')
const faultsOf = (text: string): string[] => {
  try {
    parse(text)
  } catch (error) {
    return String(error instanceof Error ? error.message : error)
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  }
  return []
}

describe('parseManifest', () => {
  it('says what is wrong with a key that is a map, and nothing beside', async () => {
    const warnings: string[] = []
    const note = (warning: Error) => warnings.push(warning.message)
    process.on('warning', note)
    expect(faultsOf('format: 1\n? { a: 1 }\n: 2\n')).toEqual([expect.stringContaining('{ a: 1 }: unknown field')])
    // Node tells of warnings in the turn after.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('reads groups, workloads, clients and the registry, and leaves out what is not there', () => {
    const file = parse(
      [
        'format: 1',
        'registry:',
        '  local_path: registry.json',
        'groups: [research]',
        'workloads:',
        '  - name: time',
        '    image: time',
        '    group: research',
        '    tools: [echo]',
        'clients:',
        '  - name: roo-code',
        '    groups: [research]',
      ].join('\n'),
    )
    expect(file).toEqual({
      format: 1,
      name: 'toolhaven',
      registry: { local_path: 'registry.json' },
      groups: ['research'],
      workloads: [{ name: 'time', image: 'time', group: 'research', tools: ['echo'] }],
      clients: [{ name: 'roo-code', groups: ['research'] }],
    })
    expect(parse('format: 1\n')).toMatchObject({ groups: [], workloads: [], clients: [] })
  })

  it('names every fault at once, in the order of the lines', () => {
    const text = [
      'format: 1',
      'grops: []',
      'workloads:',
      '  - name: time',
      '    image: time',
      '    toools: [echo]',
      '    proxy_port: 70000',
      '  - name: time',
      '    group: nowhere',
      '    image: x',
      'clients:',
      '  - name: emacs',
    ].join('\n')
    expect(faultsOf(text)).toEqual([
      expect.stringMatching(/^line 2, column 1: grops: unknown field; did you mean groups\?$/),
      expect.stringMatching(/^line 6, column 5: workloads\[0\]\.toools: unknown field; did you mean tools\?$/),
      expect.stringMatching(/^line 7, column 5: workloads\[0\]\.proxy_port: must be at most 65535/),
      'line 8, column 5: workloads[1].name: time is the name of two workloads',
      'line 9, column 5: workloads[1].group: nowhere is not listed under groups',
      expect.stringMatching(/^line 12, column 5: clients\[0\]\.name: is not a known client/),
    ])
  })

  it.each([
    ['', /it is empty/],
    ['format: 2\n', /^line 1, column 1: format: must be 1, .*needs that one$/],
    [
      'format: 1\nworkloads:\n  time:\n    image: time\n',
      /^line 2, column 1: workloads: must be a list; .* "- name: time"$/,
    ],
    ['format: 1\ngroups: {a: b}\n', /^line 2, column 1: groups: must be a list; .* "- a"$/],
    ['format: 1\nclients: [{name: curser}]\n', /clients\[0\]\.name: is not a known client; did you mean Cursor\?$/],
    [
      'format: 1\nworkloads:\n  - name: a\n   image: b\n',
      /^line 4, column 1: this line does not fit .*below each other$/,
    ],
    [
      'format: 1\nworkloads:\n  - name: a\n    image: b\n   group: c\n',
      /^line 5, column 1: this line does not fit .*below each other$/,
    ],
    [
      'format: 1\nworkloads:\n  - name: a\n   group: c\n    image: b\n',
      /^line 4, column 1: this line does not fit .*below each other$/,
    ],
    ['groups: []\n', /format: is missing; begin the file with "format: 1"$/],
    ['format: 1\nname: [\n', /^line \d+, column \d+: /],
    ['format: 1\nformat: 1\n', /^line 2, column 1: Map keys must be unique/],
    ['format: 1\n---\nformat: 1\n', /more than one document/],
    ['format: 1\nname: !secret x\n', /^line 2, column 7: Unresolved tag/],
    ['- format\n', /begin with "format: 1"/],
    ['garbage\n', /line 1, column 1: .*begin with "format: 1"/],
    ['format: 1\nworkloads:\n  - name: x\n', /^line 3, column 5: workloads\[0\]: needs image or url$/],
    ['format: 1\nworkloads:\n  - {name: x, image: y, labels: {toolhaven.apply: z}}\n', /is set by thv apply itself/],
    ['format: 1\nregistry: {url: "https://a", local_path: b}\n', /url or local_path, not both/],
    [
      'format: 1\nworkloads:\n  - name: x\n    image: y\n    env_vars:\n      A: "x\\0y"\n',
      /^line 6, column 7: workloads\[0\]\.env_vars\.A: must not contain a NUL character$/,
    ],
  ])('refuses %j', (text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringMatching(fault)])
  })

  it.each([
    ['server: time', 'image'],
    ['sever: time', 'image'],
    ['env: {A: b}', 'env_vars'],
    ['args: [x]', 'cmd_arguments'],
  ])('knows what is meant by a workload with "%s"', (line, field) => {
    expect(faultsOf(`format: 1\nworkloads:\n  - name: x\n    image: y\n    ${line}\n`)).toEqual([
      expect.stringMatching(new RegExp(`unknown field; did you mean ${field}\\?$`)),
    ])
  })

  it('does not unfold aliases without end', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]', 'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]']
    bomb.push('c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]', 'd: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]')
    expect(faultsOf(bomb.join('\n'))).toEqual(['it repeats itself by aliases far too often'])
  })

  it.each([
    ['of JSON', `{"a":`, '1', '}'],
    ['of YAML', '[', '', ']'],
  ])('refuses 60,000 levels %s in plain words, wherever they are', (_, open, middle, close) => {
    const deep = (levels: number) => `${open.repeat(levels)}${middle}${close.repeat(levels)}`
    for (const levels of [40, 3_000, 60_000])
      expect(
        faultsOf(`format: 1\nworkloads:\n  - name: a\n    image: b\n    tools_override: ${deep(levels)}\n`),
      ).toEqual(['maps and lists in it nest deeper than 32 levels'])
  })
})
