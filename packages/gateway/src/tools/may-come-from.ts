/**
 * Whether a URI may have been made from a URI template (RFC 6570). An expression may stand for any text, which is more
 * than some allow: what is withheld with a template must not slip through. It takes time in proportion to the lengths
 * of the texts.
 */
export function mayComeFrom(uri: string, template: string): boolean {
  const literals = template.split(/\{[^{}]*\}/)
  const [first = '', ...rest] = literals
  const last = rest.pop()
  if (last === undefined) return uri === template
  if (uri.length < first.length + last.length || !uri.startsWith(first) || !uri.endsWith(last)) return false
  const end = uri.length - last.length
  let at = first.length
  for (const literal of rest) {
    const found = uri.indexOf(literal, at)
    if (found === -1 || found + literal.length > end) return false
    at = found + literal.length
  }
  return true
}
