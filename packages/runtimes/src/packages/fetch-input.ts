import { ownProxies } from '../package-index/network-variables.ts'
import { CONFIG_FOLDER, type Step, type Steps } from './template.ts'

/**
 * What a fetch gets besides its image. What may hold a token goes in through its standard input, to a file in memory and to variables of
 * its processes: neither the container's configuration nor a layer ever holds it, whenever the work is broken off.
 */
export interface FetchInput {
  /** In /build; nothing secret. */
  files: Readonly<Record<string, string>>
  /** Which file the user's configuration becomes; undefined where the tool has none. */
  configFile: Steps['config']
  /** Its text; empty where there is none. */
  config: string
  variables: Readonly<Record<string, string>>
}

/** Variables, then the configuration file, each up to a line with a dot. */
const READ_INPUT = `config=$1
shift
while IFS= read -r line && [ "$line" != . ]; do export "$line"; done
while IFS= read -r line && [ "$line" != . ]; do printf '%s\\n' "$line"; done > "$config"
exec "$@"`

/** The command that reads the input and then does what the step does. */
export function readingInput({ configFile }: FetchInput, { command }: Step): string[] {
  const place = configFile === undefined ? '/dev/null' : `${CONFIG_FOLDER}/${configFile}`
  return ['/bin/sh', '-c', READ_INPUT, 'sh', place, ...command]
}

/** What is refused at a gate is named, so the fetch asks it for everything, unless the user has proxies. */
export function fetchText({ variables, config }: FetchInput, hasGate: boolean): string {
  const proxies = hasGate ? (ownProxies(variables)?.variables ?? { NO_PROXY: '', no_proxy: '' }) : {}
  const pairs = Object.entries({ ...variables, ...proxies }).map(([name, value]) => `${name}=${value}`)
  const lines = [...pairs, '.', ...config.split('\n').filter((line) => line !== '.'), '.']
  return `${lines.join('\n')}\n`
}
