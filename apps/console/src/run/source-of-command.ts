/** Flags whose next word is not a package. */
const WITH_VALUE = /^(?:--from|--with|--package|-p|--python|--registry)$/

/** What the command of a server's own documentation runs, such as "npx -y PACKAGE". */
export function sourceOfCommand(text: string): { image: string; args: string[] } | undefined {
  const [program, ...words] = text.trim().split(/\s+/)
  if ((program !== 'npx' && program !== 'uvx') || words.some((word) => WITH_VALUE.test(word))) return undefined
  const at = words.findIndex((word) => !word.startsWith('-'))
  const name = words[at]
  return name === undefined ? undefined : { image: `${program}://${name}`, args: words.slice(at + 1) }
}
