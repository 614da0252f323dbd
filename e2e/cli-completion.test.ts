import { spawnSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { THV } from './src/running-thv.ts'
import { type Step, typeInto } from './src/terminal.ts'
import { thv as runThv } from './src/thv.ts'

let world: CliWorld
let env: Record<string, string>
beforeAll(async () => {
  world = await openCliWorld()
  const bin = join(world.home.dir, 'bin')
  await mkdir(bin)
  // Completion asks the program itself. All else that a line runs is printed, so that a test sees what was typed for it.
  const script = `#!/bin/sh
if [ "$1" = __complete ]; then exec '${process.execPath}' '${THV}' "$@"; fi
printf 'RAN'; printf ' <%s>' "$@"; printf ' END\\n'
`
  await writeFile(join(bin, 'thv'), script)
  await chmod(join(bin, 'thv'), 0o755)
  env = { PATH: [bin, world.home.env['PATH']].join(delimiter), TERM: 'xterm-256color' }
  await writeFile(join(world.home.dir, 'toolhaven.yaml'), 'format: 1\n')
  await runThv(world.home, ['run', world.fixture, '--name', 'clock'])
  await runThv(world.home, ['secret', 'setup', '--provider', 'encrypted'], { input: 'hunter22\n' })
  await runThv(world.home, ['secret', 'set', 'token'], { input: 'x\n' })
})
afterAll(() => world[Symbol.asyncDispose]())

/** How each shell is started without the settings of its user, and reads the script that `thv completion` prints. */
const SHELLS = {
  bash: { start: 'bash --norc --noprofile -i', read: "PS1='READY> '; source completion.bash" },
  zsh: { start: 'zsh -f -i', read: "PROMPT='READY> '; autoload -Uz compinit; compinit -u; source completion.zsh" },
  fish: {
    start: 'fish --no-config -i',
    read: "function fish_prompt; echo 'READY> '; end; source completion.fish",
  },
} as const

/** What is typed before the Tab key, and the words that run then. */
const LINES: readonly [typed: string, ran: readonly string[]][] = [
  ['thv gr', ['group']],
  ['thv group rm def', ['group', 'rm', 'default']],
  ['thv client register curs', ['client', 'register', 'Cursor']],
  ['thv logs cl', ['logs', 'clock']],
  ['thv list --form', ['list', '--format']],
  ['thv list --format mcp', ['list', '--format', 'mcpservers']],
  ['thv list --format=mcp', ['list', '--format=mcpservers']],
  ['thv list --group def', ['list', '--group', 'default']],
  ['thv mcp list tools --server cl', ['mcp', 'list', 'tools', '--server', 'clock']],
  ['thv mcp list tools --server=cl', ['mcp', 'list', 'tools', '--server=clock']],
  ['thv mcp list -s cl', ['mcp', 'list', '-s', 'clock']],
  ['thv run --secret tok', ['run', '--secret', 'token']],
  ['thv run tim', ['run', 'time']],
  ['thv apply -f toolh', ['apply', '-f', 'toolhaven.yaml']],
]

/** A shell gives up soon, and a busy machine may need another try. */
const TRIES = 3

describe.each(Object.entries(SHELLS))('%s', (shell, { start, read }) => {
  const program = start.split(' ')[0] ?? ''

  test('completes what a person types', async (context) => {
    if (spawnSync(program, ['-c', 'exit']).error) return context.skip(`this machine has no ${program}`)
    const { stdout } = await runThv(world.home, ['completion', shell])
    await writeFile(join(world.home.dir, `completion.${shell}`), stdout)
    let left = LINES
    let wrong: object[] = []
    for (let tries = 0; tries < TRIES && left.length > 0; tries++) {
      const ran = await type(left)
      const isWrong = ([, words]: (typeof LINES)[number], at: number) => ran[at] !== spelled(words)
      wrong = left.flatMap((line, at) => (isWrong(line, at) ? [{ typed: line[0], ran: ran[at] }] : []))
      left = left.filter(isWrong)
    }
    expect(wrong).toEqual([])
  })

  async function type(lines: typeof LINES): Promise<(string | undefined)[]> {
    const steps = lines.map(([typed], at): Step => [at === 0 ? 'READY> ' : 'END', `${typed}\t\r`])
    const { screen } = await typeInto(world.home, start, [['', `${read}\r`], ...steps, ['END', 'exit\r']], env)
    return [...screen.matchAll(/^RAN (.*) END/gm)].map(([, words]) => words)
  }
})

const spelled = (words: readonly string[]) => words.map((word) => `<${word}>`).join(' ')
