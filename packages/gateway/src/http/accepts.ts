/** What nearly every client sends. */
const COMMON = 'application/json, text/event-stream'

/** Whether an Accept header lets us answer with this media type. Preferences among accepted ones do not matter here. */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined) return true
  if (header === COMMON) return type === 'application/json' || type === 'text/event-stream'
  const family = `${type.slice(0, type.indexOf('/'))}/*`
  return header
    .toLowerCase()
    .split(',')
    .some((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
      if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) return false
      return name === type || name === family || name === '*/*'
    })
}
