import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import type { CommandDef, FlagDef, Input, NameKind } from './command.ts'
import { closest } from '@toolhaven/core/closest'
import { FOREIGN_ADVICE, FOREIGN_COMMANDS } from './foreign-commands.ts'
import { spelledFlag } from './spelled-flag.ts'
import { VERSION } from './version.ts'

export interface ParseHooks {
  run: (command: CommandDef, input: Input) => Promise<void>
  /** Summaries of words that only group commands: `config`, `config otel`. */
  groups: Readonly<Record<string, string>>
  /** Receives the errors in the command line. */
  writeErr: (text: string) => void
  /** The line as it was typed: what the parser made of it no longer has the "--". */
  argv?: readonly string[]
}

export const SUMMARY = 'Runs MCP servers in isolation and gives every AI client one safe way to reach them.'

/** Turns the command tree into a commander program, which parses the line by our definitions. */
export function buildProgram(commands: readonly CommandDef[], hooks: ParseHooks): Command {
  const root = base(new Command('thv'), hooks, '')
    .description(SUMMARY)
    .version(`thv ${VERSION}`, '-V, --version', 'show the version')
    .option('--debug', 'say more about what happens')
    // It may stand anywhere, so every command takes it.
    .hook('preAction', (program, command) => {
      if (command.opts()['debug'] === true) program.setOptionValue('debug', true)
    })
  const nodes = new Map<string, Command>([['', root]])
  for (const definition of commands) {
    const words = definition.words.split(' ')
    const command = nodeFor(nodes, words, hooks)
    fill(command, definition, hooks)
  }
  return root
}

function nodeFor(nodes: Map<string, Command>, words: readonly string[], hooks: ParseHooks): Command {
  const path = words.join(' ')
  const known = nodes.get(path)
  if (known) return known
  const parent = words.length === 1 ? nodes.get('') : nodeFor(nodes, words.slice(0, -1), hooks)
  const node = base(new Command(words.at(-1)), hooks, `${path} `)
    .description(hooks.groups[path] ?? '')
    .showHelpAfterError(`"thv ${path} --help" lists its commands.`)
    .addOption(new Option('--debug').hideHelp())
  parent?.addCommand(node)
  nodes.set(path, node)
  return node
}

function base(command: Command, { writeErr }: Pick<ParseHooks, 'writeErr'>, path: string): Command {
  return (
    command
      .exitOverride()
      .configureOutput({ writeErr, outputError: (text, write) => write(inOwnWords(text, path, namesIn(command))) })
      // Options after `mcp list tools` are its own, though `mcp list` is a command too and has the same.
      .enablePositionalOptions()
      .showSuggestionAfterError(true)
      .showHelpAfterError('"thv --help" lists the commands, "thv COMMAND --help" explains one.')
      .configureHelp({ sortSubcommands: true, showGlobalOptions: true })
      .helpOption('-h, --help', 'show this help')
      .helpCommand(false)
  )
}

function fill(command: Command, definition: CommandDef, { run, argv = [] }: ParseHooks): void {
  command.summary(definition.summary).description(definition.description ?? `${definition.summary}.`)
  command.aliases([...(definition.aliases ?? [])])
  for (const { name, summary, required, variadic, choices } of definition.args ?? []) {
    const text = variadic ? `${name}...` : name
    const argument = new Argument(required ? `<${text}>` : `[${text}]`, summary)
    command.addArgument(choices ? argument.choices(choices) : argument)
  }
  for (const [name, flag] of Object.entries(definition.flags ?? {})) command.addOption(optionOf(name, flag))
  const examples = definition.examples.map(({ command: line, shows }) => `  $ ${line}\n      ${shows}`)
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`)
  command.configureOutput({
    outputError: (text, write) =>
      write(withOptionsMeant(inOwnWords(text, `${definition.words} `, namesIn(command)), definition, argv)),
  })
  command.showHelpAfterError(`"thv ${definition.words} --help" shows how to use it.`)
  // Checked below, because an extra word may be a mistyped command.
  command.allowExcessArguments(true)
  command.action(async () => {
    refuseExcess(command, definition.words)
    refuseBeforeDashes(command, definition, argv)
    refuseEmpty(command, definition)
    const args = command.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string')
    const given: Record<string, unknown> = command.opts()
    const definitions = Object.entries(definition.flags ?? {})
    const flags = Object.fromEntries(definitions.map(([name, flag]) => [name, valueOf(given, name, flag)]))
    // oxlint-disable-next-line typescript/consistent-type-assertions -- commander parsed each value by the option made from the same definition
    await run(definition, { args, flags } as Input)
  })
}

const namesIn = (command: Command) => () => command.commands.flatMap((each) => [each.name(), ...each.aliases()])

function inOwnWords(text: string, path: string, names: () => readonly string[]): string {
  const told = text
    .replace(/^error: /, 'thv: ')
    .replace(/command-argument value '([^']*)' is invalid for argument '([^']*)'\./, "there is no $2 '$1'.")
    .replace(/( argument 'http' is invalid\..*streamable-http)\./, '$1, which is what others call http.')
    .replace(
      /(--network <mode>' argument 'none' is invalid\..*)/,
      '$1 To give it no network: --permission-profile none.',
    )
  if (path === '' && told.startsWith("thv: unknown option '-v'"))
    return "thv: unknown option '-v'\n(Did you mean -V?)\n"
  const [, typed = ''] = /^thv: unknown command '([^']*)'/.exec(told) ?? []
  const lower = typed.toLowerCase()
  const advice = FOREIGN_ADVICE.get(path + lower)
  if (advice !== undefined) return `thv: unknown command '${typed}'\n${advice}\n`
  const meant = typed !== lower && names().includes(lower) ? path + lower : FOREIGN_COMMANDS.get(path + lower)
  return meant === undefined ? told : `thv: unknown command '${typed}'\n(Did you mean "thv ${meant}"?)\n`
}

/** For who left a name out. */
const WHAT_THERE_IS: Partial<Record<NameKind, string>> = {
  workload: '"thv list --all" shows the workloads.',
  client: '"thv client status" shows the clients.',
  group: '"thv group list" shows the groups.',
  server: '"thv search WORD" finds servers.',
  secret: '"thv secret list" shows the secrets.',
  tool: '"thv mcp list tools --server NAME" shows the tools of a workload.',
}

/** `-p` of another program → what it is here, for all of the line at once. The hint is about words, not about values. */
function withOptionsMeant(
  text: string,
  { foreignOptions = {}, usageHint, args = [] }: CommandDef,
  argv: readonly string[],
): string {
  if (/ is invalid\.|^thv: (?:option '|'[^']*' is empty;|'[^']*' takes one )/.test(text)) return text
  const [, option] = /unknown option '(-[^'=]*)/.exec(text) ?? []
  const typed = option === undefined ? [] : [option, ...beforeDashes(argv)]
  const meant = Object.entries(foreignOptions).filter(([known]) => typed.includes(known))
  const isKnown = meant.some(([known]) => known === option)
  const [, missing] = /missing required argument '(.*)'/.exec(text) ?? []
  const { completes, choices } = args.find(({ name }) => name === missing) ?? {}
  const known = completes && WHAT_THERE_IS[completes]
  const lines = [
    (isKnown ? text.replace(/\n\(Did you mean .*\?\)/, '') : text).trimEnd(),
    ...new Set(meant.map(([, what]) => what)),
    ...(isKnown || !usageHint ? [] : [usageHint]),
    ...(known === undefined ? [] : [known]),
    ...(choices === undefined ? [] : [`Choose one of ${choices.join(', ')}.`]),
  ]
  return [...lines, ''].join('\n')
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/** A second server, or an argument of the first: taken for the latter, it would be noticed only once the server has read it. */
function refuseBeforeDashes(command: Command, { words, args = [] }: CommandDef, argv: readonly string[]): void {
  const at = args.findIndex(({ afterDashes }) => afterDashes)
  const isBehind = argv.length - beforeDashes(argv).length - 1
  const before = command.args.slice(0, command.args.length - Math.max(isBehind, 0))
  // The words of a folder's command need no "--" to be told from a server.
  if (at === -1 || before.length <= at || command.opts()['folder'] !== undefined) return
  const [first = '', ...rest] = before
  const meant = args[at]?.afterDashes?.(before)
  command.error(
    meant === undefined
      ? `error: 'thv ${words}' takes one ${args[0]?.name}\nIf "${rest.join(' ')}" is for the server, write it after "--": thv ${words} ${first} -- ${rest.join(' ')}\nIf it belongs to a value before it, put that value in quotes.`
      : `error: 'thv ${words}' takes one ${args[0]?.name}\n${meant}`,
  )
}

function refuseExcess(command: Command, words: string): void {
  const { registeredArguments: taken, args, commands } = command
  if (args.length <= taken.length || taken.at(-1)?.variadic === true) return
  const extra = args[taken.length] ?? ''
  if (commands.length === 0) {
    const most = taken.length === 0 ? 'no arguments' : `at most ${taken.length}`
    const isFlag = command.options.some(({ long }) => long === `--${extra}`)
    const hint = isFlag ? `\n(Did you mean "thv ${words} --${extra}"?)` : ''
    command.error(`error: too many arguments for '${command.name()}': it takes ${most}, and got ${args.length}${hint}`)
  }
  const names = commands.map((each) => each.name())
  const meant = closest(extra, names)
  command.error(
    `error: unknown command '${extra}'\n${meant ? `(Did you mean ${meant}?)` : `There are: ${names.join(', ')}`}`,
  )
}

/** An empty name usually comes from an unset variable in a script. */
function refuseEmpty(command: Command, { args = [] }: CommandDef): void {
  const { group } = command.opts()
  if (group === '') command.error("error: '--group' is empty; if it is a variable of your shell, set it first")
  const empty = args.find(
    ({ required, completes }, at) =>
      (required || completes !== undefined) && [command.processedArgs[at]].flat().includes(''),
  )
  if (empty) command.error(`error: '${empty.name}' is empty; if it is a variable of your shell, set it first`)
}

function valueOf(given: Readonly<Record<string, unknown>>, name: string, flag: FlagDef): unknown {
  // In commander, `--no-wait` means that `wait` is false.
  const positive = /^no([A-Z])(.*)$/.exec(name)
  if (flag.type === 'boolean' && positive) return given[`${positive[1]?.toLowerCase()}${positive[2]}`] === false
  if (flag.type === 'boolean') return given[name] ?? false
  return given[name] ?? (flag.type === 'list' ? [] : undefined)
}

function optionOf(name: string, flag: FlagDef): Option {
  const long = spelledFlag(name)
  const spelled = flag.short ? `-${flag.short}, ${long}` : long
  if (flag.type === 'boolean') return new Option(spelled, flag.summary)
  const option = new Option(`${spelled} <${flag.value}>`, flag.summary)
  if (flag.type === 'list') return option.argParser((text: string, all: string[] | undefined) => [...(all ?? []), text])
  if (flag.type === 'number') {
    option.argParser((text) => parseNumber(text, flag.min, flag.max))
    return flag.default === undefined ? option : option.default(flag.default)
  }
  if (flag.choices) option.choices(flag.choices)
  return flag.default === undefined ? option : option.default(flag.default)
}

function parseNumber(text: string, min = -Infinity, max = Infinity): number {
  const value = Number(text)
  if (text.trim() === '' || Number.isNaN(value) || value < min || value > max) {
    const range = Number.isFinite(min) && Number.isFinite(max) ? ` from ${min} to ${max}` : ''
    throw new InvalidArgumentError(`It must be a number${range}.`)
  }
  return value
}
