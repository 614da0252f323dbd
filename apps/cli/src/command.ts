import type { Context } from './context.ts'

/** One positional argument. */
export interface ArgDef {
  name: string
  summary: string
  required?: boolean
  /** Takes all remaining arguments. Only the last argument may have it. */
  variadic?: boolean
  /** Belongs behind "--". What a word before it may have meant is told by this, if anything is. */
  afterDashes?: (words: readonly string[]) => string | undefined
  choices?: readonly string[]
  /** What it names; a shell completes it with those there are. */
  completes?: NameKind
}

/** Tools are those of the server that the first argument names, and arguments those of its tool, which the second one names. */
export type NameKind = 'workload' | 'group' | 'client' | 'secret' | 'server' | 'tool' | 'argument'

export type FlagDef =
  | { type: 'boolean'; summary: string; short?: string }
  | ({ type: 'text'; default?: string; choices?: readonly string[] } & TakesText)
  | { type: 'number'; summary: string; short?: string; value: string; default?: number; min?: number; max?: number }
  /** May be given several times. */
  | ({ type: 'list' } & TakesText)

interface TakesText {
  summary: string
  short?: string
  value: string
  /** What it names; a shell completes it with those there are. */
  completes?: NameKind
}

export interface Example {
  /** The command line without the prompt. Tests run it. */
  command: string
  shows: string
  /** Runs until Ctrl-C. */
  endless?: boolean
}

type FlagValue<Flag extends FlagDef> = Flag extends { type: 'boolean' }
  ? boolean
  : Flag extends { type: 'list' }
    ? string[]
    : Flag extends { type: 'number'; default: number }
      ? number
      : Flag extends { type: 'number' }
        ? number | undefined
        : Flag extends { type: 'text'; default: string }
          ? string
          : string | undefined

export type FlagValues<Flags extends Record<string, FlagDef>> = { [Name in keyof Flags]: FlagValue<Flags[Name]> }

export interface Input<Flags extends Record<string, FlagDef> = Record<string, FlagDef>> {
  args: string[]
  flags: FlagValues<Flags>
}

/**
 * A command as data, from which help, completion and the reference pages are built. Its file imports nothing heavy at the top:
 * `run` imports what it needs, so that each call loads only what it uses.
 */
export interface CommandDef<Flags extends Record<string, FlagDef> = Record<string, FlagDef>> {
  /** As typed after `thv`: `config otel set-endpoint`. */
  words: string
  /** Other spellings of the last word. */
  aliases?: readonly string[]
  summary: string
  description?: string
  args?: readonly ArgDef[]
  flags?: Flags
  examples: readonly Example[]
  /** A hint that is shown after a line that cannot be parsed. */
  usageHint?: string
  /** Options of other programs that people type here, each with a hint. */
  foreignOptions?: Readonly<Record<string, string>>
  /** Hidden from help and completion. */
  hidden?: boolean
  run: (context: Context, input: Input<Flags>) => Promise<void>
}

/** Checks a definition against the types of its own flags, then widens the type, so that one tree can hold all commands. */
export function defineCommand<const Flags extends Record<string, FlagDef>>(command: CommandDef<Flags>): CommandDef {
  const { run, ...rest } = command
  return { ...rest, run: (context, input) => run(context, narrow<Flags>(input)) }
}

function narrow<Flags extends Record<string, FlagDef>>(input: Input): Input<Flags> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the parser made the values after these very definitions
  return input as unknown as Input<Flags>
}

/** `--format` for commands that print records. The JSON has the same shape as in the API. */
export const FORMAT_FLAG = {
  format: {
    type: 'text',
    value: 'format',
    summary: 'how to print: text or json',
    choices: ['text', 'json'],
    default: 'text',
  },
} as const satisfies Record<string, FlagDef>
