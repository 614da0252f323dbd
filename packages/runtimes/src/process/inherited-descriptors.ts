import { readdirSync, readFileSync } from 'node:fs'

/**
 * Descriptors above stderr that a child would inherit: those this process was itself started with and that lack
 * close-on-exec (which Node sets on everything it opens). Empty where there is no /proc.
 */
export function inheritedDescriptors(): number[] {
  let names: string[]
  try {
    names = readdirSync('/proc/self/fd')
  } catch {
    // Not Linux: there is no list of them.
    return []
  }
  return names.map(Number).filter((descriptor) => descriptor > 2 && !closesOnExec(descriptor))
}

const O_CLOEXEC = 0o2000000

function closesOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0
  } catch {
    // Closed since it was listed: the listing's own descriptor is always one of them.
    return true
  }
}
