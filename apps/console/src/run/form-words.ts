/** What the API says of its fields, in the words of the forms. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/: (?:give|set) each in env_vars, or as the target of a secret/, '. Fill it in under Variables and secrets'],
  [/: (?:give|set) it in headers$/, '. Fill it in under Headers'],
  [/; (?:give|set|put) them in cmd_arguments/, '. Write them under Arguments'],
  [/^env_vars\.([\w-]+): /, '$1: '],
  [/\baccept_mounts(?: true)?\b/, '“Allow the folders that the registry entry asks for”'],
  [/^secret (.+) not found; create it first/, 'There is no secret $1. Choose another one, or store it under Secrets'],
  [/^group (\S+) not found; create it first/, 'There is no group $1. Create it under Groups first'],
  [/; choose another name or delete it first/, '. Choose another name, or remove that server first'],
]

export function inFormWords(message: string): string {
  return PHRASES.reduce((text, [pattern, words]) => text.replace(pattern, words), message)
}
