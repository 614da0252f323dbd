import type { PipSettings } from './pip-settings.ts'

/** uv's variables for the index that the user chose: their own uv settings, otherwise what they set for pip. */
export function uvIndexVariables(
  env: Readonly<Record<string, string | undefined>>,
  pip: PipSettings,
): Record<string, string> {
  const found: Record<string, string> = {}
  const hasOwnMain = Boolean(env['UV_DEFAULT_INDEX'] || env['UV_INDEX_URL'])
  const hasOwnIndex = hasOwnMain || Boolean(env['UV_INDEX'] || env['UV_EXTRA_INDEX_URL'])
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== '') found[name] = value
  }
  if (!hasOwnMain) set('UV_INDEX_URL', pip['index-url'])
  if (!hasOwnIndex) {
    set('UV_EXTRA_INDEX_URL', pip['extra-index-url']?.split('\n').join(' '))
    set('UV_FIND_LINKS', pip['find-links']?.split('\n').join(','))
    set('UV_NO_INDEX', isTrue(pip['no-index']) ? '1' : undefined)
  }
  set('UV_INSECURE_HOST', pip['trusted-host']?.split('\n').join(' '))
  set('UV_HTTP_TIMEOUT', pip['default-timeout'] ?? pip['timeout'])
  set('ALL_PROXY', pip['proxy'])
  for (const [name, value] of Object.entries(env))
    if (INDEX_SETTING.test(name) || isUvCredential(name)) set(name, value)
  return found
}

const INDEX_SETTING =
  /^UV_(DEFAULT_INDEX|INDEX|INDEX_URL|INDEX_STRATEGY|EXTRA_INDEX_URL|FIND_LINKS|NO_INDEX|INSECURE_HOST|HTTP_TIMEOUT)$/

/** A credential of an index with a name: `UV_INDEX_NAME_PASSWORD`. */
export function isUvCredential(name: string): boolean {
  return /^UV_INDEX_.+_(USERNAME|PASSWORD)$/.test(name)
}

function isTrue(value: string | undefined): boolean {
  return /^(1|true|yes|on)$/i.test(value ?? '')
}
