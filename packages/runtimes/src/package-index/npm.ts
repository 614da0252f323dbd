import { mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { invalid, notFound, unavailable } from '@toolhaven/core/errors'
import type { ThvError } from '@toolhaven/core/errors'
import { z } from 'zod'
import { findProgram } from './find-program.ts'
import { isNetworkVariable } from './network-variables.ts'
import { isInUse, tokensInUse } from './npm-tokens.ts'
import { runProgram } from './run-program.ts'
import type { ProgramResult } from './run-program.ts'

export interface NpmOptions {
  nodePath: string
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
}

/** npm as the user set it up: its program, its configuration, and the variables that the configuration uses. */
export interface Npm {
  /** npm-cli.js, run with our Node. */
  cli: string
  /** The text of its configuration files, with only the credentials of registries in use. */
  configs: { user: string; global: string }
  /** Addresses of the registries that it uses. */
  registries: string[]
  /** The registry for packages without a scope, or with a scope that has no registry of its own. */
  registry: string | undefined
  /** From its own settings. The user's variables may name others. */
  proxies: string[]
  caFile: string | undefined
  ignoreScripts: boolean
  env: Record<string, string>
  /** Paths of its configuration files, whether or not they exist. */
  files: string[]
}

/** Finds npm on the machine, otherwise beside our Node. */
export async function findNpm({ nodePath, env, homeDir }: NpmOptions, signal: AbortSignal): Promise<Npm> {
  const cli = await findCli(nodePath, env, signal)
  if (cli === undefined)
    throw invalid('npm is missing, so npm packages cannot be fetched. Install it (apt install npm, brew install node).')
  const npmEnv = pickEnv(env, homeDir, isNpmVariable)
  const list = [cli, 'config', 'list', '--long', '--json']
  const { stdout, stderr, exitCode } = await askNpm(nodePath, list, npmEnv, signal)
  if (exitCode !== 0) throw invalid(`npm cannot read its configuration (${lastLine(stderr)}). Correct your .npmrc.`)
  const settings = settingsSchema.parse(JSON.parse(stdout))
  const registries = registriesOf(settings)
  const configOf = async (path: string | null | undefined) => tokensInUse(await readText(path), registries)
  const configs = { user: await configOf(settings.userconfig), global: await configOf(settings.globalconfig) }
  const referenced = referencedVariables(Object.values(configs))
  const isWanted = (name: string) => isNpmVariable(name) && isInUse(name.replace(/^npm_config_/i, ''), registries)
  return {
    cli,
    configs,
    registries,
    registry: settings.registry ?? undefined,
    proxies: [settings.proxy, settings['https-proxy']].flatMap((proxy) => (typeof proxy === 'string' ? [proxy] : [])),
    caFile: settings.cafile ?? undefined,
    ignoreScripts: settings['ignore-scripts'] ?? false,
    env: pickEnv(env, homeDir, (name) => isWanted(name) || referenced.has(name)),
    files: [settings.userconfig, settings.globalconfig].flatMap((file) => (file ? [file] : [])),
  }
}

export async function hasNpm({ nodePath, env }: NpmOptions, signal: AbortSignal): Promise<boolean> {
  return (await findCli(nodePath, env, signal)) !== undefined
}

/** The registry that npm uses if no other one is configured. Undefined where there is no npm. */
export async function defaultNpmIndex(
  { nodePath, env, homeDir }: NpmOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const cli = await findCli(nodePath, env, signal)
  if (cli === undefined) return undefined
  // Two names: npm refuses to read one file as both.
  const unconfigured = { npm_config_userconfig: '/dev/null', npm_config_globalconfig: '/dev/null/none' }
  const ownEnv = { ...pickEnv(env, homeDir, () => false), ...unconfigured }
  const { stdout } = await askNpm(nodePath, [cli, 'config', 'get', 'registry'], ownEnv, signal)
  return URL.canParse(stdout.trim()) ? stdout.trim() : undefined
}

const settingsSchema = z.looseObject({
  userconfig: z.string().nullish(),
  globalconfig: z.string().nullish(),
  cafile: z.string().nullish(),
  registry: z.string().nullish(),
  proxy: z.unknown(),
  'https-proxy': z.unknown(),
  'ignore-scripts': z.boolean().nullish(),
})

function registriesOf(settings: Readonly<Record<string, unknown>>): string[] {
  const found = Object.entries(settings).filter(([key]) => /^(?:@[^:]+:)?registry$/.test(key))
  return found.flatMap(([, value]) => (typeof value === 'string' ? [value] : []))
}

async function readText(path: string | null | undefined): Promise<string> {
  const file = await existingFile(path)
  return file === undefined ? '' : readFile(file, 'utf8')
}

/** The newest version, which npm would install if no version were named. */
export async function latestNpmVersion(options: NpmOptions, name: string, signal: AbortSignal): Promise<string> {
  const npm = await findNpm(options, signal)
  const quiet = ['--json', '--no-update-notifier', '--loglevel=error', ...QUICK_RETRIES]
  const args = [npm.cli, 'view', ...quiet, '--', name, 'version']
  const { stdout, stderr, exitCode } = await askNpm(options.nodePath, args, npm.env, signal)
  if (exitCode !== 0) throw npmFailure(name, `${stdout}\n${stderr}`)
  const found = versionSchema.safeParse(stdout.trim() === '' ? undefined : JSON.parse(stdout))
  const version = Array.isArray(found.data) ? found.data.at(-1) : found.data
  if (version === undefined) throw notFound(`The npm package ${name} has no published version. Check its name.`)
  return version
}

/** npm makes a cache and logs even for a query: here not in the user's home, but in a folder that is removed again. */
async function askNpm(
  nodePath: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ProgramResult> {
  const cache = await mkdtemp(join(tmpdir(), 'thv-npm-'))
  try {
    const quiet = { npm_config_cache: cache, npm_config_logs_max: '0', npm_config_update_notifier: 'false' }
    return await runProgram(nodePath, args, { env: { ...env, ...quiet }, cwd: '/' }, signal)
  } finally {
    await rm(cache, { recursive: true, force: true })
  }
}

/** npm's own pauses add up to more than a minute. Without a network the user would hear nothing for that minute. */
export const QUICK_RETRIES = ['--fetch-retries=2', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=2000']

const versionSchema = z.union([z.string(), z.array(z.string())])

/** One sentence from npm's output. Its codes are stable, its prose is not. */
export function npmFailure(what: string, output: string): ThvError {
  const code = /(?:"code":\s*"|npm (?:error|ERR!) code )([A-Z0-9_]+)/.exec(output)?.[1] ?? ''
  if (['E404', 'ETARGET', 'ENOVERSIONS'].includes(code))
    return notFound(`The npm package ${what} was not found. Check its name and version.`)
  if (['E401', 'E403', 'ENEEDAUTH'].includes(code))
    return invalid(`The npm registry refused access to ${what} (${code}). Log in with npm and try again.`)
  if (NETWORK_CODES.test(code))
    return unavailable(
      `The npm registry could not be reached for ${what} (${code}). Check the network, proxy and registry settings of npm.`,
    )
  return unavailable(
    `npm could not supply ${what} (${code === '' ? lastLine(output) : code}). Run npm view ${what} to see why.`,
  )
}

const NETWORK_CODES =
  /^(ENOTFOUND|EAI_|ECONN|ETIMEDOUT|EIDLETIMEOUT|ENET|EHOST|ERR_SOCKET|ERR_SSL|ERR_TLS|UNABLE_|SELF_SIGNED|DEPTH_|CERT_|E5\d\d|FETCH_ERROR|EPROTO)/

async function findCli(nodePath: string, env: NpmOptions['env'], signal: AbortSignal): Promise<string | undefined> {
  const shim = await findProgram('npm', env['PATH'])
  if (shim !== undefined) {
    const path = await realpath(shim)
    if (path.endsWith('.js')) return path
  }
  const machineNode = await findProgram('node', env['PATH'])
  const nodes = await Promise.all(
    [machineNode, nodePath].map(async (path) => (path === undefined ? undefined : await realpath(path))),
  )
  for (const node of nodes) {
    if (node === undefined) continue
    const beside = await existingFile(join(dirname(node), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'))
    if (beside !== undefined) return beside
  }
  if (shim === undefined) return undefined
  // A version manager's shim: npm itself knows where it is.
  const { stdout } = await runProgram(shim, ['root', '--global'], { env, cwd: '/' }, signal)
  return await existingFile(join(stdout.trim(), 'npm', 'bin', 'npm-cli.js'))
}

async function existingFile(path: string | null | undefined): Promise<string | undefined> {
  if (path === null || path === undefined || path === '') return undefined
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true ? path : undefined
}

/** `${NAME}` in an .npmrc is a variable. */
function referencedVariables(configs: readonly string[]): Set<string> {
  const matches = configs.flatMap((text) => [...text.matchAll(/\$\{([^}?]+)\??\}/g)])
  return new Set(matches.flatMap((match) => match[1] ?? []))
}

/** Settings of the user, not those that an npm which started the daemon adds about itself. */
function isNpmVariable(name: string): boolean {
  if (isNetworkVariable(name)) return true
  if (!/^npm_config_/i.test(name)) return false
  return !/^npm_config_(prefix|local_prefix|global_prefix|global|cache|user_agent|init_module|node_gyp|npm_version)$/i.test(
    name,
  )
}

function pickEnv(env: NpmOptions['env'], homeDir: string, wanted: (name: string) => boolean): Record<string, string> {
  const picked: Record<string, string> = { HOME: homeDir, PATH: env['PATH'] ?? '/usr/bin:/bin' }
  for (const [name, value] of Object.entries(env)) if (value !== undefined && wanted(name)) picked[name] = value
  return picked
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
}
