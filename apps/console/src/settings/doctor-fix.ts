/** How a finding is fixed here; undefined: its fix is a command or something to do elsewhere. */
export type DoctorFix =
  | { kind: 'restart'; name: string }
  | { kind: 'logs'; name: string }
  | { kind: 'secret'; key: string }
  | { kind: 'page'; to: '/adopt' | '/secrets'; label: string }

/** From the one thing that the doctor says; only what it says in full, so that nothing of it is lost. */
export function doctorFix(fix: string): DoctorFix | undefined {
  const [, name] = /^thv restart ([\w.-]+)$/.exec(fix) ?? []
  if (name !== undefined) return { kind: 'restart', name }
  const [, chatty] = /^thv logs ([\w.-]+)$/.exec(fix) ?? []
  if (chatty !== undefined && chatty !== 'prune') return { kind: 'logs', name: chatty }
  const [, key] = /^thv secret set (\S+)$/.exec(fix) ?? []
  if (key !== undefined) return { kind: 'secret', key }
  if (fix === 'thv adopt') return { kind: 'page', to: '/adopt', label: 'Look at them' }
  if (fix === 'thv secret setup') return { kind: 'page', to: '/secrets', label: 'Store a secret' }
  return undefined
}

const ORDER = ['failed', 'warning', 'info', 'ok'] as const

/** Worst first. */
export function sortChecks<Check extends { status: (typeof ORDER)[number] }>(checks: readonly Check[]): Check[] {
  return checks.toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status))
}

/** What of a fix can be copied into a terminal: a command alone, without words around it. */
export function isCommand(fix: string): boolean {
  return /^(?:thv|chmod|chown|rm) /.test(fix) && !/, then|\(|…|[A-Z]{4}| says /.test(fix)
}
