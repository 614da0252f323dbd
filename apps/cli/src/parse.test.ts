import { expect, test } from 'vitest'
import { type CommandDef, type Input, defineCommand } from './command.ts'
import { buildProgram } from './parse.ts'

const flags = { server: { type: 'text', value: 'name', summary: 'which server' } } as const
const define = (words: string) =>
  defineCommand({ words, summary: words, flags, examples: [], run: async () => undefined })

async function parse(...args: string[]) {
  const calls: { words: string; input: Input; debug: boolean }[] = []
  const run = async (command: CommandDef, input: Input) => {
    calls.push({ words: command.words, input, debug: program.opts()['debug'] === true })
  }
  const program = buildProgram([define('list'), define('list tools')], { groups: {}, run, writeErr: () => undefined })
  await program.parseAsync(['node', 'thv', ...args])
  return calls
}

test('an option belongs to the command it stands behind, even where the one above it has the same', async () => {
  const input = { args: [], flags: { server: 'time' } }
  expect(await parse('list', 'tools', '--server', 'time')).toEqual([{ words: 'list tools', input, debug: false }])
  expect(await parse('list', '--server', 'time')).toEqual([{ words: 'list', input, debug: false }])
})

test('--debug may stand anywhere', async () => {
  for (const args of [
    ['--debug', 'list', 'tools'],
    ['list', 'tools', '--debug'],
  ])
    expect(await parse(...args)).toMatchObject([{ words: 'list tools', debug: true }])
})

test('an option that only the command above has is refused', async () => {
  await expect(parse('list', 'tools', '--all')).rejects.toThrow("unknown option '--all'")
})

test('a word that an argument does not take is named in plain words', async () => {
  const told: string[] = []
  const shell = defineCommand({
    words: 'completion',
    summary: 'completion',
    args: [{ name: 'shell', summary: 'which', required: true, choices: ['bash', 'zsh'] }],
    examples: [],
    run: async () => undefined,
  })
  const program = buildProgram([shell], { groups: {}, run: async () => undefined, writeErr: (text) => told.push(text) })
  await expect(program.parseAsync(['node', 'thv', 'completion', 'tcsh'])).rejects.toThrow()
  expect(told.join('')).toContain("thv: there is no shell 'tcsh'. Allowed choices are bash, zsh.\n")
})
