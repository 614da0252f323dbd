/** Runs a person's own program rather than a package. */
const INTERPRETER = /^(?:bun|deno|node|python[\d.]*|ruby)$/

/** What to type for the command of one's own program. */
export function ownProgramHint([program = '', ...rest]: readonly string[], folder = '.'): string | undefined {
  if (!INTERPRETER.test(program)) return undefined
  return `To run your own program, name its folder: "thv run --folder ${folder} -- ${[program, ...rest].join(' ')}".`
}
