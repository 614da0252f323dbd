/** Names the drawings of a diagram after its text (FNV-1a, 32 bits): a changed text has no drawing until it is drawn again. */
export function diagramName(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
