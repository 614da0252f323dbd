import { ownProxies } from '../package-index/network-variables.ts'
import { CONFIG_FOLDER, type Step, type Steps } from './template.ts'

/**
 * What a fetch gets besides its image. Everything that may contain a token goes through its standard input into a file
 * in memory and into variables of its processes: neither the container's configuration nor a layer ever contains it,
 * wherever the work is interrupted.
 */
export interface FetchInput {
  /** In /build. Nothing secret. */
  files: Readonly<Record<string, string>>
  /** The file that the user's configuration is written to. Undefined where the tool has none. */
  configFile: Steps['config']
  /** Its text. Empty where there is none. */
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

/**
 * The gate reports each host that it refuses, so the fetch asks the gate for everything, unless the user has proxies.
 */
export function fetchText({ variables, config }: FetchInput, hasGate: boolean): string {
  const proxies = hasGate ? (ownProxies(variables)?.variables ?? { NO_PROXY: '', no_proxy: '' }) : {}
  const pairs = Object.entries({ ...variables, ...proxies }).map(([name, value]) => `${name}=${value}`)
  const lines = [...pairs, '.', ...config.split('\n').filter((line) => line !== '.'), '.']
  return `${lines.join('\n')}\n`
}
