import type { ArgDef, CommandDef, FlagDef, NameKind } from '../command.ts'
import { spelledFlag } from '../spelled-flag.ts'

export interface CommandTree {
  commands: readonly CommandDef[]
  groups: Readonly<Record<string, string>>
}

export interface Candidate {
  value: string
  summary: string
}

export interface Completion {
  candidates: Candidate[]
  /** The kind of names that also fit. */
  names?: NameKind
  /** Text before a name in the same word: `--flag=`. */
  prefix: string
  /** The arguments so far, which may decide whose names to offer. */
  given: string[]
}

type Found = Omit<Completion, 'given' | 'prefix'>

/** The candidates for `current`, after the words before it. */
export function completeLine(tree: CommandTree, before: readonly string[], current: string): Completion {
  const visible = tree.commands.filter(({ hidden }) => hidden !== true)
  const place = locate(visible, before)
  const [begun = '', spelled = ''] = place.waiting ? [] : (/^(--[\w-]+)=/.exec(current) ?? [])
  const waiting = place.waiting ?? valueFlag(place.command, spelled)
  const prefix = waiting && !place.waiting ? begun : ''
  const found = waiting
    ? valuesOf(waiting)
    : current.startsWith('-')
      ? { candidates: flagsOf(place.command) }
      : wordsOrArgs(tree, visible, place)
  const candidates = found.candidates
    .map(({ value, summary }) => ({ value: prefix + value, summary }))
    .filter(({ value }) => value.startsWith(current))
  return { ...found, prefix, given: place.given, candidates }
}

interface Place {
  path: string
  command: CommandDef | undefined
  /** The arguments so far. */
  given: string[]
  /** A flag whose value comes next. */
  waiting: { name: string; flag: FlagDef } | undefined
}

function locate(commands: readonly CommandDef[], before: readonly string[]): Place {
  const place: Place = { path: '', command: undefined, given: [], waiting: undefined }
  for (const word of before) {
    // Bash splits `--format=json` into three words.
    if (word === '=') continue
    if (place.waiting) place.waiting = undefined
    else if (word.startsWith('-')) place.waiting = valueFlag(place.command, word)
    else descend(commands, place, word)
  }
  return place
}

function descend(commands: readonly CommandDef[], place: Place, word: string): void {
  const prefix = place.path === '' ? '' : `${place.path} `
  const siblings = commands.filter(({ words }) => words.startsWith(prefix) && !words.slice(prefix.length).includes(' '))
  const path = siblings.find(({ aliases }) => aliases?.includes(word))?.words ?? prefix + word
  const isWord =
    place.given.length === 0 && commands.some(({ words }) => words === path || words.startsWith(`${path} `))
  if (!isWord) {
    place.given.push(word)
    return
  }
  place.path = path
  place.command = commands.find(({ words }) => words === path)
}

function valueFlag(command: CommandDef | undefined, word: string): Place['waiting'] {
  for (const [name, flag] of Object.entries(command?.flags ?? {})) {
    const isMeant = word === spelledFlag(name) || (flag.short !== undefined && word === `-${flag.short}`)
    if (isMeant) return flag.type === 'boolean' ? undefined : { name, flag }
  }
  return undefined
}

function valuesOf({ name, flag }: NonNullable<Place['waiting']>): Found {
  const choices = flag.type === 'text' ? (flag.choices ?? []) : []
  return {
    candidates: choices.map((value) => ({ value, summary: flag.summary })),
    ...(name === 'group' && { names: 'group' }),
    ...((flag.type === 'text' || flag.type === 'list') && flag.completes && { names: flag.completes }),
  }
}

function flagsOf(command: CommandDef | undefined): Candidate[] {
  const own = Object.entries(command?.flags ?? {}).map(([name, flag]) => ({
    value: spelledFlag(name),
    summary: flag.summary,
  }))
  return [
    ...own,
    { value: '--debug', summary: 'say more about what happens' },
    { value: '--help', summary: 'show help' },
  ]
}

function wordsOrArgs({ groups }: CommandTree, commands: readonly CommandDef[], { path, command, given }: Place): Found {
  const prefix = path === '' ? '' : `${path} `
  const below = commands.filter(({ words }) => given.length === 0 && words.startsWith(prefix) && words !== path)
  const next = new Set(below.map(({ words }) => words.slice(prefix.length).split(' ')[0] ?? ''))
  const candidates = [...next].toSorted().map((value) => {
    const own = below.find(({ words }) => words === prefix + value)
    return { value, summary: own?.summary ?? groups[prefix + value] ?? '' }
  })
  const arg = argAt(command?.args ?? [], given.length)
  for (const value of arg?.choices ?? []) candidates.push({ value, summary: arg?.summary ?? '' })
  return { candidates, ...(arg?.completes && { names: arg.completes }) }
}

function argAt(args: readonly ArgDef[], at: number): ArgDef | undefined {
  const last = args.at(-1)
  return args[at] ?? (last?.variadic ? last : undefined)
}
