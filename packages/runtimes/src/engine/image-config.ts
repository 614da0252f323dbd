import { invalid } from '@toolhaven/core/errors'
import { isReservedLabel, type InstanceSpec } from '@toolhaven/core/ports/runtime'
import { z } from 'zod'
import { BUILD_LABEL, BUILDER_LABEL } from '../packages/template.ts'
import type { EngineClient } from './engine-client.ts'
import { refusal } from './engine-fault.ts'

/** What we need to know about an image's containers. */
export interface ImageConfig {
  command: { entrypoint: readonly string[]; args: readonly string[] }
  /** TCP ports on which its server listens, as the image says. */
  exposed: readonly number[]
}

const words = z.union([z.array(z.string()), z.string().transform((text) => [text])]).nullish()
const imageSchema = z.looseObject({
  Config: z
    .looseObject({
      ...{ Entrypoint: words, Cmd: words, Labels: z.record(z.string(), z.string()).nullish() },
      ExposedPorts: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
})

/** Images have them from their builds. On a container they mean nothing. */
const OF_BUILDS = new Set([BUILD_LABEL, BUILDER_LABEL])

/**
 * Refuses an image with our labels: a container inherits them, and the daemon identifies containers by their labels.
 */
export async function readImageConfig(
  client: EngineClient,
  { prepared, name }: InstanceSpec,
  signal: AbortSignal,
): Promise<ImageConfig> {
  const call = { method: 'GET', path: `/images/${prepared.id}/json` } as const
  const { Config: config } = await client.json(imageSchema, call, signal).catch((error: unknown) => {
    throw refusal(`look up the image of ${name}`, error)
  })
  const forged = Object.keys(config?.Labels ?? {}).find((key) => isReservedLabel(key) && !OF_BUILDS.has(key))
  if (forged !== undefined)
    throw invalid(
      `The image of ${name} has the label ${forged}, which only Toolhaven sets. Remove the label from the image or use another image.`,
    )
  return {
    command: { entrypoint: config?.Entrypoint ?? [], args: config?.Cmd ?? [] },
    exposed: exposedPorts(Object.keys(config?.ExposedPorts ?? {})),
  }
}

/** Written as `6379/tcp`. */
function exposedPorts(texts: readonly string[]): number[] {
  return texts.filter((text) => /^\d+\/tcp$/.test(text)).map((text) => Number.parseInt(text, 10))
}
