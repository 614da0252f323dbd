import type { CommandDef, FlagDef, Input } from './command.ts'
import { spelledFlag } from './spelled-flag.ts'

/**
 * Reads a line in which every word is a flag of the command or its value, as most lines are. Undefined for every other
 * one, mistakes and questions for help included: those are commander's, and loading it costs as much as listing workloads.
 */
export function parsePlain({ args = [], flags = {} }: CommandDef, words: readonly string[]): Input | undefined {
  if (args.length > 0) return undefined
  const given: Record<string, unknown> = {}
  for (let at = 0; at < words.length; at++) {
    const [spelled = '', ...rest] = (words[at] ?? '').startsWith('--') ? (words[at] ?? '').split('=') : [words[at]]
    const found = Object.entries(flags).find(([name, { short }]) => isSpelled(spelled, name, short))
    if (found === undefined) return undefined
    const [name, flag] = found
    if (flag.type === 'boolean') {
      if (rest.length > 0) return undefined
      given[name] = true
      continue
    }
    const value = rest.length > 0 ? rest.join('=') : words[++at]
    if (value === undefined || !isPlain(flag, value)) return undefined
    const earlier = given[name]
    given[name] = flag.type === 'list' ? [...(Array.isArray(earlier) ? earlier : []), value] : value
  }
  const all = Object.entries(flags).map(([name, flag]) => [name, given[name] ?? defaultOf(flag)])
  return { args: [], flags: Object.fromEntries(all) }
}

/** `--no-wait` is more than a flag to commander. */
const isSpelled = (word: string, name: string, short: string | undefined) =>
  !/^no[A-Z]/.test(name) && (word === spelledFlag(name) || (short !== undefined && word === `-${short}`))

function isPlain(flag: FlagDef, value: string): boolean {
  if (value === '' || value.startsWith('-') || flag.type === 'number') return false
  return flag.type !== 'text' || flag.choices === undefined || flag.choices.includes(value)
}

function defaultOf(flag: FlagDef): unknown {
  if (flag.type === 'boolean') return false
  return flag.type === 'list' ? [] : flag.default
}
