import type { ArgDef, CommandDef, FlagDef } from './command.ts'
import { spelledFlag } from './spelled-flag.ts'

export interface ReferenceTree {
  commands: readonly CommandDef[]
  /** Summaries of words that only hold other commands. */
  groups: Readonly<Record<string, string>>
  /** Of the program itself. */
  summary: string
}

export interface ReferencePage {
  /** `thv_group_rm.md` */
  file: string
  text: string
}

/** A page for the program, for each word that holds commands, and for each command; sorted by file. */
export function referencePages(tree: ReferenceTree): ReferencePage[] {
  return pathsOf(tree)
    .map((words) => ({ file: fileOf(words), text: renderReferencePage(words, tree) }))
    .toSorted((a, b) => (a.file < b.file ? -1 : 1))
}

/** The page of `words`, without the program's own name (`group rm`; empty: the program), as Markdown that is also MDX. */
export function renderReferencePage(words: string, tree: ReferenceTree): string {
  const command = tree.commands.find((each) => each.words === words)
  const summary = summaryOf(words, tree)
  const sections = [
    `---\ntitle: ${JSON.stringify(nameOf(words))}\ndescription: ${JSON.stringify(summary)}\n---`,
    `${prose(summary)}.`,
    `## Usage\n\n${code(usageOf(words, command))}${aliasesOf(command)}`,
    argumentsOf(command?.args ?? []),
    examplesOf(command),
    command?.description === undefined ? '' : `## Synopsis\n\n${prose(command.description)}`,
    `## Options\n\n${optionTable([...ownOptions(command), HELP, ...(words === '' ? [DEBUG, VERSION] : [])])}`,
    words === '' ? '' : `## Inherited options\n\n${optionTable([DEBUG])}`,
    seeAlso(words, tree),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

interface OptionRow {
  spelled: string
  summary: string
}

const HELP: OptionRow = { spelled: '-h, --help', summary: 'show this help' }
const DEBUG: OptionRow = { spelled: '--debug', summary: 'say more about what happens' }
const VERSION: OptionRow = { spelled: '-V, --version', summary: 'show the version' }

function pathsOf({ commands }: ReferenceTree): string[] {
  const paths = new Set([''])
  for (const { words, hidden } of commands) {
    if (hidden === true) continue
    const parts = words.split(' ')
    for (const at of parts.keys()) paths.add(parts.slice(0, at + 1).join(' '))
  }
  return [...paths]
}

function summaryOf(words: string, { commands, groups, summary }: ReferenceTree): string {
  if (words === '') return summary.replace(/\.$/, '')
  return commands.find((command) => command.words === words)?.summary ?? groups[words] ?? nameOf(words)
}

const nameOf = (words: string) => (words === '' ? 'thv' : `thv ${words}`)
const fileOf = (words: string) => `${nameOf(words).replaceAll(' ', '_')}.md`

function usageOf(words: string, command: CommandDef | undefined): string {
  if (!command) return `${nameOf(words)} [options] [command]`
  const args = (command.args ?? []).map((arg) => spelledArg(arg))
  return [nameOf(words), '[options]', ...args].join(' ')
}

function aliasesOf(command: CommandDef | undefined): string {
  const names = (command?.aliases ?? []).map(
    (alias) => `\`${nameOf([...(command?.words.split(' ').slice(0, -1) ?? []), alias].join(' '))}\``,
  )
  return names.length === 0 ? '' : `\n\nShort: ${names.join(', ')}`
}

function spelledArg({ name, required, variadic }: ArgDef): string {
  const text = variadic ? `${name}...` : name
  return required ? `<${text}>` : `[${text}]`
}

function argumentsOf(args: readonly ArgDef[]): string {
  if (args.length === 0) return ''
  const rows = args.map((arg) => ({ spelled: spelledArg(arg), summary: arg.summary + choicesOf(arg.choices) }))
  return optionTable(rows, 'Argument')
}

function examplesOf(command: CommandDef | undefined): string {
  if (!command || command.examples.length === 0) return ''
  const lines = command.examples.map(({ command: line, shows }) => `# ${shows}\n${line}`)
  return `### Examples\n\n${code(lines.join('\n\n'))}`
}

function ownOptions(command: CommandDef | undefined): OptionRow[] {
  return Object.entries(command?.flags ?? {}).map(([name, flag]) => ({
    spelled: optionOf(name, flag),
    summary: flag.summary + detailsOf(flag),
  }))
}

function optionOf(name: string, flag: FlagDef): string {
  const long = spelledFlag(name)
  const spelled = flag.short === undefined ? long : `-${flag.short}, ${long}`
  return flag.type === 'boolean' ? spelled : `${spelled} <${flag.value}>`
}

function detailsOf(flag: FlagDef): string {
  if (flag.type === 'boolean' || flag.type === 'list') return ''
  const choices = flag.type === 'text' ? choicesOf(flag.choices) : ''
  return flag.default === undefined ? choices : `${choices} (default: ${flag.default})`
}

const choicesOf = (choices: readonly string[] | undefined) =>
  choices === undefined ? '' : ` (one of: ${choices.join(', ')})`

function optionTable(rows: readonly OptionRow[], title = 'Option'): string {
  const lines = rows.map(({ spelled, summary }) => `| \`${cell(spelled)}\` | ${cell(prose(summary))} |`)
  return [`| ${title} | Meaning |`, '| --- | --- |', ...lines].join('\n')
}

function seeAlso(words: string, tree: ReferenceTree): string {
  const prefix = words === '' ? '' : `${words} `
  const depth = words === '' ? 1 : words.split(' ').length + 1
  const below = pathsOf(tree).filter(
    (path) => path !== '' && path.startsWith(prefix) && path.split(' ').length === depth,
  )
  const parent = words === '' ? [] : [words.split(' ').slice(0, -1).join(' ')]
  const links = [...parent, ...below.toSorted()].map(
    (path) => `- [${nameOf(path)}](./${fileOf(path)}): ${prose(summaryOf(path, tree))}`,
  )
  return `## See also\n\n${links.join('\n')}`
}

const code = (text: string, language = 'bash') => `\`\`\`${language}\n${text}\n\`\`\``
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** Indented lines are shown as they are; elsewhere, what MDX would take for a tag, an expression or emphasis is escaped. */
function prose(text: string): string {
  const parts = text.split(/\n*((?:^ {2}.*(?:\n|$))+)\n*/m)
  return parts
    .filter((part) => part.trim() !== '')
    .map((part) => (part.startsWith('  ') ? code(part.trimEnd().replaceAll(/^ {2}/gm, ''), 'text') : escapeMdx(part)))
    .join('\n\n')
}

function escapeMdx(text: string): string {
  return text.replaceAll(/[\\`*_{}<>[\]]/g, (character) => `\\${character}`)
}
