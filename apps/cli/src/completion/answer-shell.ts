import type { NameKind } from '../command.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { type CommandTree, completeLine } from './complete-line.ts'

type Env = Readonly<Record<string, string | undefined>>

const CURRENT = '--current='
/** Shells insert candidates into the line unchanged, and servers choose the names of their tools. */
const HARMLESS = /^[\w.:@/=+][\w.:@/=+-]*$/
/** Limits, because a person has pressed a key and waits. Asking a server takes longer than asking the daemon. */
const PATIENCE_MS = 1_500
const PATIENCE_WITH_SERVERS_MS = 6_000

/**
 * Answers a shell that asked `thv __complete --current=PART -- WORD...`: a line for each candidate, with a tab before
 * what is said about it. Never starts a daemon, and says nothing when something fails: a shell has no use for errors.
 */
export async function answerShell(tree: CommandTree, env: Env, args: readonly string[]): Promise<string> {
  const typed = args.find((arg) => arg.startsWith(CURRENT))?.slice(CURRENT.length) ?? ''
  const current = typed === '=' ? '' : typed
  const before = args.slice(args.indexOf('--') + 1)
  const { candidates, names, prefix, given } = completeLine(tree, before, current)
  const known = names === undefined ? [] : await namesFor(env, names, given).catch(() => [])
  const begun = current.slice(prefix.length).toLowerCase()
  const fitting = known.filter((name) => HARMLESS.test(name) && name.toLowerCase().startsWith(begun))
  const lines = [
    ...fitting.map((name) => prefix + printable(name)),
    ...candidates.map(({ value, summary }) => `${value}\t${summary}`),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

async function namesFor(env: Env, kind: NameKind, given: readonly string[]): Promise<string[]> {
  const [{ findRunningDaemon }, { knownNames }] = await Promise.all([
    import('../connect/find-daemon.ts'),
    import('./known-names.ts'),
  ])
  const daemon = await findRunningDaemon(env)
  const patience = kind === 'tool' || kind === 'argument' ? PATIENCE_WITH_SERVERS_MS : PATIENCE_MS
  return daemon ? knownNames(daemon, kind, given, AbortSignal.timeout(patience)) : []
}
