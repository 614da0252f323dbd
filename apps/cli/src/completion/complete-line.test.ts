import { describe, expect, test } from 'vitest'
import { defineCommand } from '../command.ts'
import { type CommandTree, completeLine } from './complete-line.ts'

const run = async () => {}

const tree: CommandTree = {
  groups: { group: 'Groups', 'config otel': 'Telemetry' },
  commands: [
    defineCommand({
      words: 'logs',
      aliases: ['log'],
      summary: 'Show logs',
      args: [{ name: 'name', summary: 'which', required: true, completes: 'workload' }],
      flags: { follow: { type: 'boolean', short: 'f', summary: 'go on' } },
      examples: [],
      run,
    }),
    defineCommand({ words: 'logs prune', summary: 'Clean up', examples: [], run }),
    defineCommand({
      words: 'group rm',
      summary: 'Remove a group',
      args: [{ name: 'name', summary: 'which', completes: 'group' }],
      flags: {
        withWorkloads: { type: 'boolean', summary: 'all' },
        format: { type: 'text', short: 'o', value: 'format', summary: 'how', choices: ['text', 'json'] },
        group: { type: 'list', short: 'g', value: 'name', summary: 'one' },
      },
      examples: [],
      run,
    }),
    defineCommand({
      words: 'client register',
      summary: 'Register',
      args: [{ name: 'client', summary: 'which', variadic: true, completes: 'client' }],
      examples: [],
      run,
    }),
    defineCommand({
      words: 'completion',
      summary: 'Script',
      args: [{ name: 'shell', summary: 'your shell', choices: ['bash', 'zsh'] }],
      examples: [],
      run,
    }),
    defineCommand({ words: 'secretly', summary: 'Hidden', hidden: true, examples: [], run }),
  ],
}

const values = (...words: string[]) =>
  completeLine(tree, words.slice(0, -1), words.at(-1) ?? '').candidates.map(({ value }) => value)
const names = (...words: string[]) => completeLine(tree, words.slice(0, -1), words.at(-1) ?? '').names

describe('completion', () => {
  test('offers the words that may come next, with what they are for, and no hidden ones', () => {
    expect(completeLine(tree, [], '').candidates).toEqual([
      { value: 'client', summary: '' },
      { value: 'completion', summary: 'Script' },
      { value: 'group', summary: 'Groups' },
      { value: 'logs', summary: 'Show logs' },
    ])
    expect(values('c')).toEqual(['client', 'completion'])
    expect(values('group', '')).toEqual(['rm'])
  })

  test('a command with commands below it offers both them and names', () => {
    expect(values('logs', '')).toEqual(['prune'])
    expect(names('logs', '')).toBe('workload')
    expect(values('logs', 'web', '')).toEqual([])
    expect(names('logs', 'web', '')).toBeUndefined()
  })

  test('only the last argument goes on and on, where it may', () => {
    expect(names('client', 'register', '')).toBe('client')
    expect(names('client', 'register', 'Cursor', 'VSCode', '')).toBe('client')
    expect(names('group', 'rm', 'old', '')).toBeUndefined()
  })

  test('flags are offered once a dash is typed, as they are spelled', () => {
    expect(values('group', 'rm', '-')).toEqual(['--with-workloads', '--format', '--group', '--debug', '--help'])
    expect(values('group', 'rm', '--w')).toEqual(['--with-workloads'])
  })

  test('a flag that wants a value is given its choices or names, however it was written', () => {
    for (const flag of ['--format', '-o']) expect(values('group', 'rm', flag, '')).toEqual(['text', 'json'])
    expect(values('group', 'rm', '--format', '=', 'j')).toEqual(['json'])
    expect(names('group', 'rm', '-g', '')).toBe('group')
    expect(values('group', 'rm', '--format', 'json', '--wi')).toEqual(['--with-workloads'])
  })

  test('a flag and its value may be one word', () => {
    expect(values('group', 'rm', '--format=j')).toEqual(['--format=json'])
    expect(completeLine(tree, ['group', 'rm'], '--group=a')).toMatchObject({ names: 'group', prefix: '--group=' })
    expect(values('group', 'rm', '--with-workloads=')).toEqual([])
  })

  test('a flag and its value do not count as arguments', () => {
    expect(names('group', 'rm', '--format', 'json', '')).toBe('group')
    expect(names('logs', '-f', '')).toBe('workload')
    expect(names('log', '-f', '')).toBe('workload')
  })

  test('an argument with fixed choices offers them', () => {
    expect(values('completion', 'b')).toEqual(['bash'])
  })
})
