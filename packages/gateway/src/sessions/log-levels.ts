import type { Session } from './session.ts'

const LEVELS: readonly string[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

export function isLogLevel(level: unknown): level is string {
  return typeof level === 'string' && LEVELS.includes(level)
}

/** A shared server has one level: the most verbose that any client asked for. */
export function sharedLevel(sessions: Iterable<Session>): string | undefined {
  const ranks = [...sessions].flatMap((session) =>
    session.logLevel === undefined ? [] : [LEVELS.indexOf(session.logLevel)],
  )
  return ranks.length === 0 ? undefined : LEVELS[Math.min(...ranks)]
}

/** Whether a message of this level is at least as severe as `least`. */
export function reachesLevel(level: unknown, least: string): boolean {
  return isLogLevel(level) && LEVELS.indexOf(level) >= LEVELS.indexOf(least)
}

export function wantsLevel(session: Session, level: unknown): boolean {
  return session.logLevel === undefined || !isLogLevel(level) || reachesLevel(level, session.logLevel)
}
