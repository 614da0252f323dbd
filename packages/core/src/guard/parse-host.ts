export interface HostAndPort {
  /** Lower case, without a trailing dot; IPv6 in its brackets. */
  name: string
  port: number | undefined
}

/**
 * Splits `name[:port]` from Host or Origin. Stricter than the RFC on purpose: user info, paths, spaces, control characters,
 * percent-encoding and empty ports give undefined, because another parser could read them differently.
 */
export function parseHost(text: string): HostAndPort | undefined {
  const match = /^(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252}))(?::([0-9]{1,5}))?$/.exec(text)
  if (match?.[1] === undefined) return undefined
  const port = match[2] === undefined ? undefined : Number(match[2])
  if (port !== undefined && port > 65_535) return undefined
  const name = match[1].toLowerCase()
  return { name: name.endsWith('.') ? name.slice(0, -1) : name, port }
}

/**
 * Accepts only the three spellings that people and programs use. Rebinding attacks use others that some resolvers map to loopback
 * (127.1, 2130706433, 0.0.0.0, IPv4-mapped IPv6); nobody else needs them.
 */
export function isLoopbackHost(name: string): boolean {
  return name === 'localhost' || name === '127.0.0.1' || name === '[::1]'
}
