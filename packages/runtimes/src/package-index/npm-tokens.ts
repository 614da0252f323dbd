/** An `.npmrc` without the credentials of hosts that none of the registries is on. */
export function tokensInUse(npmrc: string, registries: readonly string[]): string {
  return npmrc
    .split(/\r?\n/)
    .filter((line) => isInUse(line.trim(), registries))
    .join('\n')
}

/** Takes a key of npm's configuration, with or without its value: `//host/path/:_authToken=…`. */
export function isInUse(key: string, registries: readonly string[]): boolean {
  const host = /^["']?\/\/([^/\s]+?)(?::_?[A-Za-z]|\/)/.exec(key)?.[1]
  return host === undefined || registries.some((registry) => isOn(registry, host))
}

/** The default port of the protocol may be written or left out. */
function isOn(registry: string, host: string): boolean {
  const url = URL.parse(registry)
  return url !== null && URL.parse(`${url.protocol}//${host}`)?.host === url.host
}
