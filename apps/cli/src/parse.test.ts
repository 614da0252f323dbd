import { expect, test } from 'vitest'
import { type CommandDef, type Input, defineCommand } from './command.ts'
import { COMMANDS, GROUPS } from './commands.ts'
import { FOREIGN_ADVICE, FOREIGN_COMMANDS } from './foreign-commands.ts'
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

/** What is said of a line of the real commands that cannot be parsed. */
async function toldOf(...args: string[]): Promise<string> {
  const told: string[] = []
  const argv = ['node', 'thv', ...args]
  const program = buildProgram(COMMANDS, {
    ...{ groups: GROUPS, argv, run: async () => undefined },
    writeErr: (text) => told.push(text),
  })
  await program.parseAsync(argv).catch((error: unknown) => error)
  return told.join('')
}

test('words of other programs lead to commands that are there', async () => {
  for (const [typed, meant] of FOREIGN_COMMANDS) {
    expect(await toldOf(...typed.split(' '), 'time'), typed).toContain(`(Did you mean "thv ${meant}"?)`)
    const known = COMMANDS.find(({ words }) => meant === words || meant.startsWith(`${words} --`))
    expect(known, meant).toBeDefined()
  }
})

test('words of other programs that are several commands here are answered with them', async () => {
  for (const [typed, advice] of FOREIGN_ADVICE) {
    const told = await toldOf(...typed.split(' '), 'time')
    expect(told).toContain(`unknown command '${typed.split(' ').at(-1)}'\n${advice}\n`)
    expect(told).not.toContain('Did you mean')
    for (const [, named = ''] of advice.matchAll(/"thv ([a-z]+(?: [a-z-]+)?)/g))
      expect(
        COMMANDS.some(({ words }) => named === words || named.startsWith(`${words} `)),
        named,
      ).toBe(true)
  }
})

test('options of docker, kubectl, journalctl and npm are answered with ours', async () => {
  const wrong: [string, string][] = [
    ['logs time --lines 5', 'Write --tail NUMBER, or -n NUMBER.'],
    ['logs time --last 5', 'Write --tail NUMBER, or -n NUMBER.'],
    ['logs -F time', 'Write --follow, or -f.'],
    ['rm -f time', 'removes running workloads too. Remove the option.'],
    ['rm --force time', 'removes running workloads too. Remove the option.'],
    ['stop time --force', 'ends a server that hangs. Remove the option.'],
    ['stop -t 5 time', 'ends a server that hangs. Remove the option.'],
    ['list --watch', '"thv stats" shows the workloads live.'],
    ['list -q', '"thv list --format json"'],
    ['run fetch --network none', 'To give it no network: --permission-profile none.'],
    ['search', '"thv registry list" lists all servers.'],
    ['secret get', '"thv secret list" shows the secrets.'],
    ['call time', '"thv mcp list tools --server NAME" shows the tools'],
    ['upgrade --all', 'Without names, "thv upgrade" checks every workload. Remove the option.'],
    ['upgrade time --version 2', '"thv edit NAME --server SERVER@VERSION" takes a version of your choice.'],
    ['upgrade time --to 2', '"thv edit NAME --server SERVER@VERSION" takes a version of your choice.'],
    ['stats -n 1', 'Write --no-stream to look once.'],
  ]
  for (const [line, advice] of wrong) {
    const told = await toldOf(...line.split(' '))
    expect(told, line).toContain(advice)
    expect(told, line).not.toContain('Did you mean')
  }
})

test('a word more than a server is refused before anything starts, and may stand behind "--"', async () => {
  const told = await toldOf('run', 'time', 'time2', '--name', 'x')
  expect(told).toContain(
    '\'thv run\' takes one server\nIf "time2" is for the server, write it after "--": thv run time -- time2\nIf it belongs to a value before it,',
  )
  expect(await toldOf('run', 'node', 'server.js')).toContain('thv run --folder . -- node server.js')
  for (const line of [
    ['run', 'time', '--', 'time2', '--all'],
    ['run', '--folder', '.', 'node', 'server.js'],
    ['edit', 'time', '--', 'a', 'b'],
  ])
    expect(await toldOf(...line), line.join(' ')).toBe('')
})

test('all options of other programs are explained at once, and nothing else is told with a wrong value', async () => {
  const told = await toldOf('run', '-d', '-p', '8080:80', '--rm', 'mcp/time')
  for (const word of ['--no-wait', '--proxy-port', 'thv rm NAME']) expect(told).toContain(word)
  expect(told).not.toContain('Options of the server')
  expect(await toldOf('run', 'time', '--verbose')).toContain('Options of the server follow "--"')
  const wrong = await toldOf('run', 'time', '--transport', 'http')
  expect(wrong).toContain('streamable-http, which is what others call http.')
  expect(wrong).not.toContain('Options of the server')
})

test('commands in capitals, -v and names of workloads behind a list lead on', async () => {
  expect(await toldOf('STOP', 'time')).toContain('(Did you mean "thv stop"?)')
  expect(await toldOf('client', 'Register', 'cursor')).toContain('(Did you mean "thv client register"?)')
  expect(await toldOf('-v')).toContain('(Did you mean -V?)')
  expect(await toldOf('list', 'time')).toContain('"thv inspect NAME" shows one workload.')
})
