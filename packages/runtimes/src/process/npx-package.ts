import { readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { invalid, type ThvError } from '@toolhaven/core/errors'
import type { InstallAccess, PrepareOptions } from '@toolhaven/core/ports/runtime'
import { leftOut, RUN_SCRIPTS } from '../npm-scripts.ts'
import { isRefusedGit, refusedGit, refusedHosts, START_NOTHING } from '../install-rules.ts'
import { z } from 'zod'
import { hasCredentials, indexPlaces } from '../package-index/index-places.ts'
import { QUICK_RETRIES, findNpm, npmFailure } from '../package-index/npm.ts'
import type { Npm } from '../package-index/npm.ts'
import { proxyPlaces, proxyVariables } from '../package-index/network-variables.ts'
import { runProgram } from '../package-index/run-program.ts'
import { bundleCertificates } from './bundle-certificates.ts'
import { createLayout, isSystemPath } from './layout.ts'
import type { Layout } from './layout.ts'
import { npmEntry } from './npm-entry.ts'
import { fillFolder, installKey, isFetched, packageFolder } from './package-cache.ts'
import type { PackageName, PackageTools } from './package-tools.ts'
import { makeFresh, runStep } from './run-step.ts'
import { SANDBOX_NODE, SANDBOX_PACKAGE } from './sandbox-plan.ts'

export interface Fetch {
  tools: PackageTools
  npm: Npm
  /** What is installed, for people. */
  what: string
  /** Files that npm finds in the folder. */
  files: Readonly<Record<string, string>>
  /** Arguments of npm. */
  words: readonly string[]
  target: string
  scratch: string
  /** Turns npm's output into an error for people. */
  failure: (what: string, output: string) => ThvError
  /** PEM text from the daemon's configuration. */
  caCertificate: string | undefined
  access: InstallAccess | undefined
}

/** Installs one exact npm version with the user's npm and its configuration. */
export async function prepareNpx(
  tools: PackageTools,
  { name, version }: PackageName,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<string> {
  const { dataDir, index } = tools
  const environment = await npmKey(tools, options, signal)
  const folder = packageFolder(dataDir, { scheme: 'npx', name, version, environment })
  if (await isFetched(folder)) return folder
  const what = `${name}@${version}`
  options.onProgress({ phase: 'fetching', detail: `npm package ${what}` })
  const npm = await findNpm(tools, signal)
  await fillFolder(folder, async ({ target, scratch }) => {
    const files = { 'package.json': '{"private":true}\n' }
    const request = { what, files, words: ['install', '--omit=dev', '--', what], failure: npmFailure }
    await installNpm({ tools, npm, target, scratch, ...request }, options, signal)
    await index.confirm()
    return { format: 1, scheme: 'npx', name, version, needs: [], ...(await npmEntry(target, name)) }
  })
  return folder
}

/** Fetches, and then runs the install scripts of what was fetched. */
export async function installNpm(
  request: Omit<Fetch, 'caCertificate' | 'access'>,
  { caCertificate, install: access, onProgress }: PrepareOptions,
  signal: AbortSignal,
): Promise<void> {
  const fetch: Fetch = { ...request, caCertificate, access }
  await install(fetch, signal)
  if (fetch.npm.ignoreScripts || !(await hasInstallScripts(fetch.target))) return
  onProgress({ phase: 'fetching', detail: `install scripts of ${fetch.what}` })
  await runInstallScripts(fetch, signal)
}

/** What the result of an install depends on besides the request. */
export async function npmKey(
  { nodePath, index }: Pick<PackageTools, 'nodePath' | 'index'>,
  { install }: Pick<PrepareOptions, 'install'>,
  signal: AbortSignal,
): Promise<string[]> {
  return [await binaryInterface(nodePath, signal), ...installKey(install), ...index.key]
}

/**
 * The interface that native modules are built for. Servers usually run on the Node that runs us, which need not be
 * asked.
 */
async function binaryInterface(nodePath: string, signal: AbortSignal): Promise<string> {
  if (nodePath === process.execPath) return process.platform + process.arch + process.versions.modules
  const script = 'process.platform + process.arch + process.versions.modules'
  const { stdout } = await runProgram(nodePath, ['-p', script], { env: {}, cwd: '/' }, signal)
  return stdout.trim()
}

/** This step sees the registry's credentials, so no code of the packages runs in it. */
async function install(fetch: Fetch, signal: AbortSignal): Promise<void> {
  const { tools, npm, what, files, words, failure, target, scratch, access } = fetch
  for (const [name, text] of Object.entries(files)) await writeFile(join(target, name), text)
  const { layout, args, env } = await npmCommand(fetch, scratch)
  const guard = join(scratch, 'start-nothing.cjs')
  await writeFile(guard, START_NOTHING)
  args.unshift(`--require=${layout.place(guard, '/run/npm/start-nothing.cjs')}`)
  args.push('--ignore-scripts', `--prefix=${layout.place(target, SANDBOX_PACKAGE, 'writable')}`, '--allow-git=none')
  const configs = { user: join(scratch, 'npmrc-user'), global: join(scratch, 'npmrc-global') }
  for (const kind of ['user', 'global'] as const) {
    await writeFile(configs[kind], npm.configs[kind], { mode: 0o600 })
    args.push(`--${kind}config=${layout.place(configs[kind], `/run/npm/${kind}`)}`)
  }
  args.push(...QUICK_RETRIES, ...words)
  const program = nodeIn(layout.binds, tools)
  const variables = { ...npm.env, ...proxyVariables(tools.env), ...env }
  const places = [...indexPlaces(npm.registries), ...proxyPlaces(npm.proxies)]
  const run = { tools, what, access, places, layout, program, args, env: variables, scratch }
  const result = await runStep({ step: 'fetch', ...run }, signal)
  // They contain tokens, and scripts run next.
  for (const file of Object.values(configs)) await rm(file)
  if (result.exitCode === 0) return
  const output = `${result.stdout}\n${result.stderr}`
  if (isRefusedGit(output)) throw refusedGit(what)
  if (result.refused.length > 0) throw refusedHosts('fetch', what, result.refused)
  throw failure(what, output)
}

/** Runs the packages' scripts, without npm's configuration. */
async function runInstallScripts(fetch: Fetch, signal: AbortSignal): Promise<void> {
  const { tools, npm, what, target, access } = fetch
  const scratch = await makeFresh(fetch.scratch)
  const { layout, args: npmArgs, env } = await npmCommand(fetch, scratch)
  const runner = join(scratch, 'run-scripts.cjs')
  await writeFile(runner, RUN_SCRIPTS)
  const folder = layout.place(target, SANDBOX_PACKAGE, 'writable')
  const program = nodeIn(layout.binds, tools)
  const args = [layout.place(runner, '/run/npm/run-scripts.cjs'), folder, program, ...npmArgs]
  args.push('rebuild', `--prefix=${folder}`, '--userconfig=/run/npm/user', '--globalconfig=/run/npm/global')
  const settings = { ...(await headers(layout, tools)), ...registrySetting(npm) }
  const places = indexPlaces(npm.registries)
  const run = { tools, what, access, places, layout, program, args, env: { ...env, ...settings }, scratch }
  const result = await runStep({ step: 'install', ...run }, signal)
  const missing = leftOut(result.stdout)
  if (missing !== undefined) access?.failed(missing)
  if (result.exitCode === 0) return
  if (result.refused.length > 0) throw refusedHosts('install', what, result.refused)
  const reason = /npm (?:error|ERR!) (?!code|path|command)(.*)/.exec(result.stderr)?.[1]
  // Often for a part that is not needed (a browser, a driver): the server starts without it, or says itself what it
  // lacks.
  access?.failed((reason ?? `exit code ${result.exitCode}`).slice(0, 200))
}

/** Scripts that fetch packages find them where npm did. */
function registrySetting({ registry }: Npm): Record<string, string> {
  return registry === undefined || hasCredentials(registry) ? {} : { npm_config_registry: registry }
}

/** Headers that came with our Node. Otherwise node-gyp would download them from a host that is not a package index. */
async function headers(layout: Layout, { nodePath }: PackageTools): Promise<Record<string, string>> {
  const folder = join(dirname(await realpath(nodePath)), '..', 'include')
  const found = await stat(join(folder, 'node', 'node_version.h')).catch(() => undefined)
  if (found === undefined) return {}
  return { npm_config_nodedir: dirname(layout.place(folder, '/opt/toolhaven/include')) }
}

async function npmCommand({ tools, npm, caCertificate }: Fetch, scratch: string) {
  const layout = createLayout(tools.sandbox)
  const { nodePath, env } = tools
  layout.place(nodePath, SANDBOX_NODE)
  const npmFolder = dirname(dirname(npm.cli))
  const cli = isSystemPath(npmFolder)
    ? npm.cli
    : join(layout.place(npmFolder, '/opt/toolhaven/npm'), 'bin', 'npm-cli.js')
  const certificates = await bundleCertificates(
    join(scratch, 'certificates.pem'),
    [env['NODE_EXTRA_CA_CERTS'] || undefined],
    caCertificate,
  )
  const trust =
    certificates === undefined
      ? {}
      : { NODE_EXTRA_CA_CERTS: tools.sandbox.isolatesFiles ? '/tmp/certificates.pem' : certificates }
  const cache = tools.sandbox.isolatesFiles ? '/tmp/npm-cache' : join(scratch, 'npm-cache')
  const args = [cli, '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error', `--cache=${cache}`]
  if (npm.caFile !== undefined) {
    // npm then trusts only this file, so a certificate of ours must be in it.
    const bundle = await bundleCertificates(join(scratch, 'npm-trust.pem'), [npm.caFile], caCertificate)
    if (bundle !== undefined) args.push(`--cafile=${layout.place(bundle, '/opt/toolhaven/npm-trust.pem')}`)
  }
  return { layout, args, env: trust }
}

function nodeIn(binds: readonly { hostPath: string; sandboxPath: string }[], { nodePath }: PackageTools): string {
  return binds.find((bind) => bind.hostPath === nodePath)?.sandboxPath ?? nodePath
}

const lockSchema = z.object({ packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })) })

async function hasInstallScripts(target: string): Promise<boolean> {
  const text = await readFile(join(target, 'node_modules', '.package-lock.json'), 'utf8').catch((error: unknown) => {
    throw invalid(
      'npm installed nothing. Check that your .npmrc does not set install-strategy, global or dry-run.',
      error,
    )
  })
  return Object.values(lockSchema.parse(JSON.parse(text)).packages).some((entry) => entry.hasInstallScript === true)
}
