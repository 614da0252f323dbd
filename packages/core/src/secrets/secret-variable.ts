/** Prefix of the variables that the provider `environment` reads. */
export const SECRET_PREFIX = 'TOOLHAVEN_SECRET_'

/**
 * The variable that holds a secret: `github-token` is in TOOLHAVEN_SECRET_GITHUB_TOKEN. Shells allow no other characters in the
 * name of a variable, and configurations may use names that people gave to secrets of another provider.
 */
export function secretVariable(key: string): string {
  return SECRET_PREFIX + key.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase()
}

/** What a user can do about secrets that Toolhaven can only read. */
export function variableAdvice(verb: 'set' | 'unset', keys: readonly string[]): string {
  const variables = keys.map(secretVariable)
  return `${verb} ${variables.join(' and ')} where the daemon runs, and start the daemon again`
}
