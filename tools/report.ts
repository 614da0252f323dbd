/** Ends a check: its problems one to a line and exit code 1, or the sentence that says what holds. */
export function report(problems: readonly string[], holds: string): void {
  for (const problem of problems) console.error(problem)
  if (problems.length === 0) console.log(holds)
  else process.exitCode = 1
}
