import type { RegistryInfo } from '@toolhaven/contract/registry'

export interface SourceWish {
  type: RegistryInfo['type']
  /** The address or the path. */
  text: string
  allowsPrivate: boolean
}

export function wishFrom(current: RegistryInfo | undefined): SourceWish {
  const { type = 'default', source = '', allow_private_ip: allowsPrivate = false } = current ?? {}
  return { type, text: source, allowsPrivate }
}

export function sourceRequest({ type, text, allowsPrivate }: SourceWish) {
  if (type === 'default') return {}
  if (type === 'file') return { local_path: text.trim() }
  return { url: text.trim(), ...(allowsPrivate && { allow_private_ip: true }) }
}

export function sourceCommand({ type, text, allowsPrivate }: SourceWish): string {
  if (type === 'default') return 'thv config unset-registry'
  const wanted = text.trim()
  const word = /^[\w@%+=:,./-]+$/.test(wanted) ? wanted : `'${wanted.replaceAll("'", String.raw`'\''`)}'`
  return `thv config set-registry ${word}${type === 'url' && allowsPrivate ? ' --allow-private-ip' : ''}`
}
