import { environment } from './env.ts'
import { VERSION } from './version.ts'

// Whoever reads our output may have enough of it, as `head` has.
process.stdout.on('error', () => process.exit())

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
  const { runCommand } = await import('./run-command.ts')
  return runCommand(process.argv, environment())
}
