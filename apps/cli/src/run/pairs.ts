import { MEMORY_MB } from '@toolhaven/contract/run-config'
import { invalid } from '@toolhaven/core/errors'

/** `KEY=VALUE` options as one object; a later one wins. Errors leave out the value, which may be a secret. */
export function pairsOf(flag: string, pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at === 0) throw invalid(`${flag} has no name before "="; write ${flag} KEY=VALUE`)
      if (at === -1)
        throw invalid(`${flag} must have the form KEY=VALUE${pair.includes(':') ? ', with "=" in place of ":"' : ''}`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

/** `NAME,target=VARIABLE` */
export function secretOf(text: string): { name: string; target: string } {
  const [, name, target] = /^([^,]+),target=(.+)$/.exec(text) ?? []
  if (name === undefined || target === undefined)
    throw invalid(`--secret ${text} must have the form NAME,target=VARIABLE, such as --secret token,target=API_TOKEN`)
  return { name, target }
}

const MEGABYTES: Readonly<Record<string, number>> = { '': 1, m: 1, mb: 1, g: 1024, gb: 1024 }

/** Accepts `512m`, `2g` or a number of megabytes. */
export function megabytesOf(text: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([a-z]*)$/.exec(text.toLowerCase()) ?? []
  const factor = MEGABYTES[unit]
  if (digits === undefined || factor === undefined) throw invalid(`--memory ${text} must be a size such as 512m or 2g`)
  const megabytes = Math.round(Number(digits) * factor)
  if (megabytes < MEMORY_MB.min) throw invalid(`--memory ${text} is ${megabytes} MB. The minimum is ${MEMORY_MB.min}m.`)
  if (megabytes > MEMORY_MB.max)
    throw invalid(`--memory ${text} is too large. The maximum is ${MEMORY_MB.max / 1024}g.`)
  return megabytes
}
