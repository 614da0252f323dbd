import { invalid } from '@toolhaven/core/errors'

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const DURATION = /^(?:\d+[smhd])+$/

/** `10m`, `1h30m`, `2d`, or a time such as 2026-01-15T09:30:00Z; as RFC 3339. */
export function timeOf(text: string, now: number): string {
  if (DURATION.test(text)) {
    const parts = [...text.matchAll(/(\d+)([smhd])/g)]
    const ms = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0)
    if (ms <= now) return new Date(now - ms).toISOString()
  }
  // A bare number would be parsed as a year.
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw invalid(
      `--since ${text} is not a time\nPass a duration such as 10m, 2h or 1d, or a time such as 2026-01-15T09:30:00Z.`,
    )
  return new Date(time).toISOString()
}
