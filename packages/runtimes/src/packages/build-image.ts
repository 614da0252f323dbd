import { z } from 'zod'
import { invalid, notFound, type ThvError } from '@toolhaven/core/errors'
import type { InstallAccess, Progress } from '@toolhaven/core/ports/runtime'
import type { EngineClient } from '../engine/engine-client.ts'
import { EngineFault } from '../engine/engine-fault.ts'
import { jsonLines } from '../engine/json-lines.ts'
import { isRefusedGit, refusedGit, refusedHosts } from '../install-rules.ts'
import { leftOut, withoutLeftOut } from '../npm-scripts.ts'
import { ownProxies } from '../package-index/network-variables.ts'
import type { KnownIndex } from '../package-index/with-index.ts'
import { removeSteps, stepNames } from './build-leftovers.ts'
import type { PackageImage, PackageSource } from './package-image.ts'
import { runStep, type StepDeps, type StepResult } from './run-step.ts'
import { tar } from './tar.ts'
import { BUILDER_LABEL, INSTALL_MARK } from './template.ts'

const lineSchema = z.looseObject({
  stream: z.string().optional(),
  error: z.string().optional(),
  errorDetail: z.looseObject({ message: z.string().optional() }).nullish(),
})

export interface BuildDeps extends StepDeps {
  /** Names of containers of builds under way. */
  building: Set<string>
}

export interface BuildInput {
  image: PackageImage
  source: PackageSource
  index: Pick<KnownIndex, 'confirm'>
  /** The user's configuration file for this kind of package. */
  config: string
  /** Package indexes in use, as `host:port`. */
  indexes: readonly string[]
  /** Proxies that the configuration names, in the same form. */
  proxies: readonly string[]
  /** For the duration of the fetch. May contain credentials. */
  variables: Readonly<Record<string, string>>
  /** For the code that the package runs. */
  installEnv: Readonly<Record<string, string>>
  access: InstallAccess | undefined
  onProgress: (progress: Progress) => void
}

const STEPS = 3

/** Fetches and installs the package in containers and makes an image of the result. Leaves nothing else behind. */
export async function buildImage(deps: BuildDeps, input: BuildInput, signal: AbortSignal): Promise<void> {
  const { client, building } = deps
  const { image, source, access } = input
  const owner = access?.owner ?? 'nobody'
  const names = stepNames(owner, image.buildId)
  const progress = (done: number) =>
    input.onProgress({ phase: 'building', done, total: STEPS, detail: `${source.name} ${source.version}` })
  for (const name of Object.values(names)) building.add(name)
  try {
    await removeSteps(deps, names, signal)
    progress(0)
    const fetched = await fetchPackage(deps, input, { owner, name: names.fetch }, signal)
    progress(1)
    const isDone = !fetched.output.split('\n').includes(INSTALL_MARK)
    const step = { owner, name: names.install, fetched: fetched.image }
    const installed = isDone ? fetched.image : await installPackage(deps, input, step, signal)
    await input.index.confirm()
    progress(2)
    await finish(client, input, { owner, fetched: fetched.image, installed }, signal)
  } finally {
    // Not the caller's signal: nothing may remain even when the build was aborted. What remains all the same contains
    // no token and is removed before the next attempt, so a failure here must not hide the build's result.
    await removeSteps(deps, names, AbortSignal.timeout(60_000)).catch(() => undefined)
    for (const name of Object.values(names)) building.delete(name)
  }
}

async function fetchPackage(
  deps: BuildDeps,
  { image, source, access, config, indexes, proxies, variables }: BuildInput,
  { owner, name }: { owner: string; name: string },
  signal: AbortSignal,
): Promise<StepResult> {
  const { fetch, files, config: configFile } = image.steps
  const places = [...indexes, ...proxies, ...(ownProxies(variables)?.places ?? [])]
  const input = { files, configFile, config, variables }
  const run = { program: fetch, image: image.baseImage, name, owner, access, places, env: {}, input }
  const fetched = await runStep(deps, { step: 'fetch', ...run }, signal)
  if (fetched.exitCode === 0) return fetched
  const what = `${source.name}@${source.version}`
  if (isRefusedGit(fetched.output)) throw refusedGit(what)
  if (fetched.refused.length > 0) throw refusedHosts('fetch', what, fetched.refused)
  throw buildError(source, fetched.output)
}

/** Returns the image with the result. */
async function installPackage(
  deps: BuildDeps,
  { image, source, access, indexes, installEnv }: BuildInput,
  { owner, name, fetched }: { owner: string; name: string; fetched: string },
  signal: AbortSignal,
): Promise<string> {
  const run = { program: image.steps.install, image: fetched, name, owner, access, places: indexes, env: installEnv }
  const installed = await runStep(deps, { step: 'install', ...run }, signal)
  const missing = leftOut(installed.output)
  if (missing !== undefined) access?.failed(missing)
  if (installed.exitCode === 0) return installed.image
  if (installed.refused.length > 0) throw refusedHosts('install', `${source.name}@${source.version}`, installed.refused)
  if (source.scheme !== 'npx') throw buildError(source, installed.output)
  // Often for a part that is not needed (a browser, a driver): the server starts without it, or says itself what it
  // lacks.
  access?.failed(lastLines(withoutLeftOut(installed.output), 1) || `exit code ${installed.exitCode}`)
  return installed.image
}

/** Copies the result to a fresh image. Nothing runs in it, and it has no network. */
async function finish(
  client: EngineClient,
  { image, source }: BuildInput,
  { owner, ...stages }: { owner: string; fetched: string; installed: string },
  signal: AbortSignal,
): Promise<void> {
  // First, so that each intermediate image has it: a killed daemon leaves the newest of them without a name.
  const [from, ...lines] = image.steps.image(stages)
  const dockerfile = [from, `LABEL ${BUILDER_LABEL}=${JSON.stringify(owner)}`, ...lines, ''].join('\n')
  const { 'ca.pem': ca } = image.files
  const body = tar({ Dockerfile: dockerfile, ...(ca !== undefined && { 'ca.pem': ca }) }, 0o644)
  const query = { t: image.tag, rm: true, forcerm: true, networkmode: 'none' }
  const output: string[] = []
  try {
    const response = await client.stream({ method: 'POST', path: '/build', query, body }, signal)
    for await (const value of jsonLines(client.label, response, signal)) {
      const line = lineSchema.parse(value)
      const failure = line.errorDetail?.message ?? line.error
      if (failure !== undefined) throw new EngineFault(500, failure)
      output.push(line.stream ?? '')
    }
  } catch (error) {
    throw error instanceof EngineFault ? buildError(source, `${output.join('')}\n${error.message}`, error) : error
  }
}

const MISSING =
  /E404|ETARGET|No matching distribution found|no matching versions|unknown revision|: 404 Not Found|410 Gone|not found: module/
const INDEX = { npx: 'npm', uvx: 'Python', go: 'Go' } as const

function buildError({ scheme, name, version }: PackageSource, output: string, fault?: EngineFault): ThvError {
  const what = `${INDEX[scheme]} package ${name} ${version}`
  if (MISSING.test(output)) return notFound(`The ${what} is not in its index. Check the name and the version.`, fault)
  return invalid(`Building the image of the ${what} failed: ${lastLines(output, 5)}`, fault)
}

function lastLines(output: string, count: number): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== INSTALL_MARK)
  return lines.slice(-count).join(' | ').slice(0, 1000)
}
