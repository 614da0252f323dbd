/** A name that suggests a key: its value is a secret whatever it looks like. */
const SECRET_NAME = /key|token|secret|passw|passphrase|pwd|credential|auth|cookie|session|private|signature|dsn|conn/i

const PLAIN_WORDS = new Set(
  'true false yes no on off none null debug trace verbose info notice warn warning error fatal silent development production staging test stdio sse http https json text utf8 utf-8 localhost'.split(
    ' ',
  ),
)

/**
 * Whether a variable's value may stay readable. Every value counts as a secret except an empty value, a switch or level, a number
 * of at most six digits, a path, or an address without user, password and query. If the name suggests a key, even these are
 * secrets.
 */
export function isPlainValue(name: string, value: string): boolean {
  if (value === '') return true
  if (SECRET_NAME.test(name)) return false
  if (PLAIN_WORDS.has(value.toLowerCase()) || /^-?\d{1,6}(\.\d{1,3})?$/.test(value)) return true
  if (/^(\/|~\/|\.\.?\/)[\w./@+ -]*$/.test(value)) return true
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  return !url.username && !url.password && !url.search && !url.hash && url.pathname.length <= 32
}

const SECRET_FLAG = /^--?[\w-]*(key|token|secret|passw|pwd|credential|auth)[\w-]*/i
const MASK = '***'

/** The arguments, with everything masked that looks like a key. */
export function maskArguments(args: readonly string[]): string[] {
  return args.map((arg, at) => {
    const before = args[at - 1]
    if (before !== undefined && SECRET_FLAG.test(before) && !before.includes('=') && !arg.startsWith('-')) return MASK
    const flag = /^([^=]+)=(.+)$/.exec(arg)
    if (flag?.[1] !== undefined && SECRET_FLAG.test(flag[1])) return `${flag[1]}=${MASK}`
    if (flag?.[1] !== undefined && SECRET_NAME.test(flag[1])) return `${flag[1]}=${MASK}`
    return maskAddress(arg) ?? (looksRandom(arg) ? MASK : arg)
  })
}

/** The address without the parts that could hold a key. Undefined if the text is not an address. */
export function maskAddress(text: string): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? URL.parse(text) : null
  if (!url) return undefined
  if (!url.username && !url.password && !url.search && !url.hash) return text
  const user = url.username || url.password ? `${MASK}@` : ''
  return `${url.protocol}//${user}${url.host}${url.pathname}${url.search || url.hash ? `?${MASK}` : ''}`
}

/** Long, without separators of paths and packages, letters and digits mixed. */
function looksRandom(text: string): boolean {
  return (
    /^[\w+=.-]{20,}$/.test(text) &&
    /\d/.test(text) &&
    /[A-Za-z]/.test(text) &&
    !/^[a-z]+([.-][a-z]+)*[.-]?\d*$/.test(text)
  )
}
