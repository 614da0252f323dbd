import { normalize } from 'node:path'
import { invalid, isThvError } from '@toolhaven/core/errors'
import type { CommandDef, Input } from './command.ts'
import { list } from './commands/list.ts'
import { findDaemon } from './connect/find-daemon.ts'
import { currentFolder } from './current-folder.ts'
import { homeDirOf } from './home-dir.ts'
import { createOutput } from './output/output.ts'
import { parsePlain } from './parse-plain.ts'

/** What shells give for a program that a signal ended. */
const ENDED_BY = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Parses the line, runs the command and gives the exit code. What nearly every command needs is imported above: a file
 * each would cost more to find and read than to run. The rest is loaded by the commands themselves.
 */
export async function runCommand(typed: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const argv = withHelpOption(typed)
  const told: string[] = []
  const asJson = wantsJson(argv)
  const writeErr = (text: string) => void (asJson ? told.push(text) : process.stderr.write(text))
  try {
    refuseLongDash(argv)
    if (argv[2] === 'run') await refuseOtherProgram(argv.slice(3))
    // The command of every minute loads the definition of no other, and rarely a parser for every line.
    const plain = argv[2] === list.words ? parsePlain(list, argv.slice(3)) : undefined
    if (plain !== undefined) await run(list, plain, env, false)
    else await parseAndRun(argv, env, writeErr)
    return Number(process.exitCode ?? 0)
  } catch (error) {
    const { explainFailure } = await import('./output/explain-failure.ts')
    return explainFailure(error, asJson ? told.join('') : undefined)
  }
}

/** A line that cannot be parsed may still say that a program reads the answer. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  const typed = argv.slice(2, end === -1 ? undefined : end)
  return typed.some((word, at) => word === '--format=json' || (word === '--format' && typed[at + 1] === 'json'))
}

/** Some programs and pages turn "--" into one long dash. The option would then count as an argument of the server. */
function refuseLongDash(argv: readonly string[]): void {
  const end = argv.indexOf('--')
  const typed = argv.slice(2, end === -1 ? undefined : end).find((word) => /^[\u2012-\u2015]/.test(word))
  if (typed === undefined) return
  const meant = typed.replace(/^[\u2012-\u2015]+/, '--')
  throw invalid(`${typed} begins with a long dash, as in a text that was copied\nType two short ones: ${meant}`)
}

/** `thv help run`, as other programs have it. */
function withHelpOption(argv: readonly string[]): readonly string[] {
  const [node = '', program = '', first, ...rest] = argv
  return first === 'help' ? [node, program, ...rest, '--help'] : argv
}

/** What pages and files of clients give to a shell: `docker run …`, `npx -y …`. */
async function refuseOtherProgram(words: readonly string[]): Promise<void> {
  const { otherProgramHint } = await import('./run/server-hint.ts')
  const hint = otherProgramHint(words)
  if (hint !== undefined)
    throw invalid(`"thv run" takes a package or an image, not the command of ${words[0]?.split(/\s/)[0]}\n${hint}`)
}

async function parseAndRun(argv: readonly string[], env: NodeJS.ProcessEnv, writeErr: (text: string) => void) {
  const [{ buildProgram }, { COMMANDS, GROUPS }] = await Promise.all([import('./parse.ts'), import('./commands.ts')])
  const program = buildProgram(neededOf(COMMANDS, argv[2]), {
    ...{ groups: GROUPS, argv, writeErr },
    run: (command, input) => run(command, input, env, program.opts()['debug'] === true),
  })
  await program.parseAsync(argv)
}

/** A definition costs time to set up: those that begin with another word are left out, unless help or a guess needs all. */
function neededOf(commands: readonly CommandDef[], first: string | undefined): readonly CommandDef[] {
  const needed = commands.filter(({ words, aliases = [] }) => {
    const parts = words.split(' ')
    return parts[0] === first || (parts.length === 1 && first !== undefined && aliases.includes(first))
  })
  return needed.length > 0 ? needed : commands
}

async function run(command: CommandDef, input: Input, env: NodeJS.ProcessEnv, debug: boolean): Promise<void> {
  refuseUnusableFolders(env)
  // Making a stream costs about a millisecond, and most commands have nothing to say beside their result.
  const stderr = {
    write: (text: string) => process.stderr.write(text),
    get isTTY() {
      return process.stderr.isTTY
    },
    get columns() {
      return process.stderr.columns
    },
  }
  const out = createOutput({ stdout: process.stdout, stderr, env })
  // The daemon has its own way with signals; every other command is simply given up, tidily.
  const abort = new AbortController()
  let endedBy: keyof typeof ENDED_BY = 'SIGINT'
  const onSignal = (name: keyof typeof ENDED_BY) => {
    endedBy = name
    abort.abort(new Error('interrupted'))
  }
  if (command.words !== 'serve') process.once('SIGINT', () => onSignal('SIGINT'))
  // What it created goes on starting, which a script that gave up has to be told as well.
  if (command.words === 'run') process.once('SIGTERM', () => onSignal('SIGTERM'))
  const daemon = () => {
    // What is kept elsewhere would seem lost.
    if (!env['HOME']) out.note(`HOME is not set, so ${homeDirOf(env)} is used.`)
    return findDaemon(env, out.note, abort.signal)
  }
  try {
    const context = {
      ...{ daemon, out, env, signal: abort.signal, debug },
      // Read by commands that need it: the others work in a folder that was deleted too.
      get cwd() {
        return currentFolder()
      },
    }
    await command.run(context, input)
  } catch (error) {
    if (!abort.signal.aborted) throw await asTyped(error, command, input)
    process.exitCode = ENDED_BY[endedBy]
  }
}

/** The daemon speaks of fields. A person who typed flags is told about flags; one who wrote a file, about its fields. */
async function asTyped(error: unknown, { words, flags }: CommandDef, input: Input): Promise<unknown> {
  if (!isThvError(error)) return error
  const { inFlags } = await import('./output/in-flags.ts')
  const isOfFlags =
    (words === 'run' && input.flags['fromConfig'] === undefined) || words === 'edit' || words === 'proxy'
  return inFlags(error, isOfFlags ? flags : {})
}

/** Node makes folders there forever: the kernel says that the parent is missing, whatever is made. */
const NO_PLACE = /^\/+proc(?:\/|$)/

const FOLDERS = ['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR']

/** A relative folder would be another one for each command, and for the daemon that one of them starts. */
function refuseUnusableFolders(env: NodeJS.ProcessEnv): void {
  const wrong = FOLDERS.find((name) => env[name] && !env[name].startsWith('/'))
  if (wrong !== undefined)
    throw invalid(`${wrong} is "${env[wrong]}"\nSet it to the whole path of a folder, which begins with "/".`)
  const unusable = FOLDERS.find((name) => NO_PLACE.test(normalize(env[name] ?? '')))
  if (unusable !== undefined)
    throw invalid(`${unusable} is "${env[unusable]}", where no files can be kept\nSet it to another folder.`)
}
