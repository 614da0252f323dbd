import type { CommandDef, Input } from './command.ts'
import { environment } from './env.ts'
import { explainFailure } from './output/explain-failure.ts'
import { createOutput } from './output/output.ts'
import { VERSION } from './version.ts'

/** What shells give for a program that Ctrl-C ended. */
const INTERRUPTED = 130

const [first] = process.argv.slice(2)
if (first === '--version' || first === '-V') process.stdout.write(`thv ${VERSION}\n`)
else if (first === '__complete') process.stdout.write(await complete(process.argv.slice(3)))
else process.exitCode = await main()

/** For the scripts of `thv completion`. */
async function complete(args: readonly string[]): Promise<string> {
  const [{ answerShell }, { COMMANDS, GROUPS }] = await Promise.all([
    import('./completion/answer-shell.ts'),
    import('./commands.ts'),
  ])
  return answerShell({ commands: COMMANDS, groups: GROUPS }, environment(), args)
}

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
  // Whoever reads our output may have enough of it, as `head` has.
  process.stdout.on('error', () => process.exit())
  try {
    await command.run({ daemon, out, env, cwd: process.cwd(), signal: abort.signal, debug }, input)
  } catch (error) {
    if (!abort.signal.aborted) throw error
    process.exitCode = INTERRUPTED
  }
}
