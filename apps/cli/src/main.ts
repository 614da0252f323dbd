import { environment } from './env.ts'

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of our output may have enough of it, as `head` has.
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(
    `thv: the output could not be written: ${error.message}\nWrite it to another place, or make room there.\n`,
  )
  process.exit(1)
})

const [first] = process.argv.slice(2)
if (first === '--version' || first === '-V') process.stdout.write(`thv ${(await import('./version.ts')).VERSION}\n`)
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

/** Loads only what the call needs: `thv --version` ends above. */
async function main(): Promise<number> {
  const { runCommand } = await import('./run-command.ts')
  return runCommand(process.argv, environment())
}
