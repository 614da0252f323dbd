import type { CommandDef, Input } from './command.ts'
import { environment } from './env.ts'
import { explainFailure } from './output/explain-failure.ts'
import { createOutput } from './output/output.ts'
import { VERSION } from './version.ts'

const [first] = process.argv.slice(2)
if (first === '--version' || first === '-V') process.stdout.write(`thv ${VERSION}\n`)
else process.exitCode = await main()

/** What the call does not need is not loaded: `thv --version` ends above. */
async function main(): Promise<number> {
  const [{ buildProgram }, { COMMANDS, GROUPS }] = await Promise.all([import('./parse.ts'), import('./commands.ts')])
  const program = buildProgram(COMMANDS, {
    groups: GROUPS,
    run: (command, input) => run(command, input, program.opts()['debug'] === true),
  })
  try {
    await program.parseAsync(process.argv)
    return Number(process.exitCode ?? 0)
  } catch (error) {
    return explainFailure(error)
  }
}

async function run(command: CommandDef, input: Input, debug: boolean): Promise<void> {
  const env = environment()
  const out = createOutput({ stdout: process.stdout, stderr: process.stderr, env })
  // The daemon has its own way with signals; every other command is simply given up, tidily.
  const abort = new AbortController()
  if (command.words !== 'serve') process.once('SIGINT', () => abort.abort(new Error('interrupted')))
  const daemon = async () => {
    const { findDaemon } = await import('./connect/find-daemon.ts')
    return findDaemon(env, out.note, abort.signal)
  }
  await command.run({ daemon, out, env, cwd: process.cwd(), signal: abort.signal, debug }, input)
}
