import { z } from 'zod'
import { invalid, notFound, type ThvError } from '@toolhaven/core/errors'
import type { Progress } from '@toolhaven/core/ports/runtime'
import type { EngineClient } from '../engine/engine-client.ts'
import { EngineFault } from '../engine/engine-fault.ts'
import { jsonLines } from '../engine/json-lines.ts'
import type { PackageImage, PackageSource } from './package-image.ts'
import { tar } from './tar.ts'
import { BUILD_LABEL } from './template.ts'

const lineSchema = z.looseObject({
  stream: z.string().optional(),
  error: z.string().optional(),
  errorDetail: z.looseObject({ message: z.string().optional() }).nullish(),
})
const imagesSchema = z.array(z.looseObject({ Id: z.string() }))

export interface BuildInput {
  image: PackageImage
  source: PackageSource
  /** Files of the context that may hold credentials; they reach the build stage only. */
  secretFiles: Readonly<Record<string, string>>
  buildArgs: Readonly<Record<string, string>>
  onProgress: (progress: Progress) => void
}

export async function buildImage(client: EngineClient, input: BuildInput, signal: AbortSignal): Promise<void> {
  try {
    await runBuild(client, input, signal)
  } finally {
    // Not the caller's signal: what may hold a token must go even when the build was called off.
    await removeBuildStage(client, input.image.buildId, AbortSignal.timeout(30_000))
  }
}

async function runBuild(
  client: EngineClient,
  { image, source, secretFiles, buildArgs, onProgress }: BuildInput,
  signal: AbortSignal,
): Promise<void> {
  const body = tar({ Dockerfile: image.dockerfile, ...image.files, ...secretFiles })
  const query = { t: image.tag, rm: true, forcerm: true, buildargs: JSON.stringify(buildArgs) }
  const total = image.dockerfile.split('\n').filter((line) => line !== '').length
  const output: string[] = []
  let done = 0
  try {
    const response = await client.stream({ method: 'POST', path: '/build', query, body }, signal)
    for await (const value of jsonLines(client.label, response, signal)) {
      const line = lineSchema.parse(value)
      const failure = line.errorDetail?.message ?? line.error
      if (failure !== undefined) throw new EngineFault(500, failure)
      const text = line.stream ?? ''
      output.push(text)
      if (!/^(?:\[\d+\/\d+\] )?STEP \d+\/\d+/i.test(text)) continue
      onProgress({ phase: 'building', done, total, detail: `${source.name} ${source.version}` })
      done = Math.min(done + 1, total)
    }
  } catch (error) {
    throw error instanceof EngineFault ? buildError(source, output.join(''), error) : error
  }
}

const MISSING =
  /E404|ETARGET|No matching distribution found|no matching versions|unknown revision|: 404 Not Found|410 Gone|not found: module/
const INDEX = { npx: 'npm', uvx: 'Python', go: 'Go' } as const

function buildError({ scheme, name, version }: PackageSource, output: string, fault: EngineFault): ThvError {
  const what = `${INDEX[scheme]} package ${name} ${version}`
  if (MISSING.test(output)) return notFound(`The ${what} is not in its index; check the name and the version.`, fault)
  const lines = output
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(?: --->|Removing|(?:\[\d+\/\d+\] )?STEP )/i.test(line))
  return invalid(
    `Building the image of the ${what} failed: ${[...lines.slice(-4), fault.message].join(' | ').slice(0, 1000)}`,
    fault,
  )
}

/** Classic builders keep every step of a stage as an unnamed image. */
async function removeBuildStage(client: EngineClient, buildId: string, signal: AbortSignal): Promise<void> {
  const filters = JSON.stringify({ label: [`${BUILD_LABEL}=${buildId}`] })
  const left = await client
    .json(imagesSchema, { method: 'GET', path: '/images/json', query: { all: true, filters } }, signal)
    .catch(() => [])
  for (const { Id } of left) {
    // Removing one takes its unnamed parents along, so the next may be gone already.
    await client.send({ method: 'DELETE', path: `/images/${Id}`, query: { force: true } }, signal).catch(() => {})
  }
}
