import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findNpm, hasNpm, type NpmOptions } from './npm.ts'

/** The parts of npm's files and variables that matter to a build. See `npmrcForBuild`. */
export interface Npmrc {
  text: string
  /** The `.npmrc` files that apply, whether or not they exist. */
  files: readonly string[]
}

export async function readNpmrc(options: NpmOptions, signal: AbortSignal): Promise<Npmrc> {
  const { texts, files } = await npmFiles(options, signal)
  return { text: npmrcForBuild(texts, options.env), files }
}

/** Texts of npm's files, where later ones take precedence. Where npm is missing, only the user's file is known. */
async function npmFiles(options: NpmOptions, signal: AbortSignal): Promise<{ texts: string[]; files: string[] }> {
  if (await hasNpm(options, signal)) {
    const { configs, files } = await findNpm(options, signal)
    return { texts: [configs.global, configs.user], files }
  }
  const { env, homeDir } = options
  const chosen = Object.entries(env).findLast(([name, value]) => /^npm_config_userconfig$/i.test(name) && value)?.[1]
  const file = chosen ?? join(homeDir, '.npmrc')
  return { texts: [await readFile(file, 'utf8').catch(() => '')], files: [file] }
}

const NPM_KEYS =
  /^(?:registry|replace-registry-host|strict-ssl|ignore-scripts|always-auth|proxy|https-proxy|noproxy|@[^:\s]+:registry|\/\/\S+:(?:_authToken|_auth|_password|username|email|always-auth))$/

/**
 * The parts of npm's configuration that mean something inside a build: registries, credentials, proxies, whether
 * scripts run. Paths of the host (prefix, cafile, cache) are left out, and `${NAME}` is resolved from the given
 * environment, as npm would. Each key appears once.
 */
export function npmrcForBuild(texts: readonly string[], env: Readonly<Record<string, string | undefined>>): string {
  const fromFiles = texts.flatMap((text) => text.split(/\r?\n/)).map(setting)
  const settings = new Map([...fromFiles, ...npmVariables(env)].filter(([key]) => NPM_KEYS.test(key)))
  const resolved = (value: string) =>
    value.replaceAll(/\$\{([A-Za-z0-9_]+)\}/g, (whole, name: string) => env[name] ?? whole)
  return [...settings].map(([key, value]) => `${key}=${quoted(resolved(value))}\n`).join('')
}

function setting(line: string): [string, string] {
  const [key = '', ...value] = line.split('=')
  return [key.trim(), value.length === 0 ? 'true' : unquoted(value.join('=').trim())]
}

/** Without quotes, what follows these characters is a comment. */
function quoted(value: string): string {
  return /[;#]/.test(value) ? JSON.stringify(value) : value
}

function unquoted(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value
}

/** As npm reads them: in either case, with `_` for `-`, and ignored when empty. */
function npmVariables(env: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (!/^npm_config_/i.test(name) || value === '' || /[\r\n]/.test(value)) return []
    const key = name.slice('npm_config_'.length)
    return [[key.startsWith('//') ? key : key.replaceAll(/(?!^)_/g, '-').toLowerCase(), value]]
  })
}
