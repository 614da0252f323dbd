import { z } from 'zod'
import { describeError, invalid, notFound, type ThvError } from '@toolhaven/core/errors'
import type { PrepareOptions, Prepared } from '@toolhaven/core/ports/runtime'
import type { EngineClient } from './engine-client.ts'
import { EngineFault, hasStatus, refusal } from './engine-fault.ts'
import { fullReference, parseImageReference, type ImageReference } from './image-reference.ts'
import { jsonLines } from './json-lines.ts'
import { createPullProgress, pullLineSchema } from './pull-progress.ts'
import { registryCredentials, type RegistryCredentials } from './registry-credentials.ts'

export interface ImageDeps {
  client: EngineClient
  /** Folder of Docker's `config.json`, where `docker login` stores credentials. */
  dockerConfigFolder: string
}

const imageSchema = z.looseObject({ Id: z.string(), RepoDigests: z.array(z.string()).nullish() })

/**
 * Makes sure that the engine has an image. With `always` the registry is asked first and the local copy is the
 * fallback. With `never` the registry is not asked.
 */
export async function ensureImage(
  deps: ImageDeps,
  text: string,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<Prepared> {
  signal.throwIfAborted()
  const reference = parseImageReference(text)
  const local = await findImage(deps.client, text, reference, signal)
  if (local !== undefined && options.pull !== 'always') return local
  if (options.pull === 'never') throw notFound(`The image ${text} is not on this engine.`)
  try {
    await pullImage(deps, text, reference, options, signal)
  } catch (error) {
    if (local === undefined || signal.aborted) throw error
    options.onProgress({ phase: 'resolving', detail: `using the local copy: ${describeError(error)}` })
    return local
  }
  const pulled = await findImage(deps.client, text, reference, signal)
  if (pulled === undefined)
    throw notFound(`The image ${text} was pulled but is not on the engine. Look at the engine's own log.`)
  return pulled
}

/** Engines store the full name, as they do for one given on their own command line. */
export async function tagImage(client: EngineClient, id: string, text: string, signal: AbortSignal): Promise<void> {
  const { registry, repository, tag = 'latest' } = parseImageReference(text)
  const path = `/images/${encodeURIComponent(id)}/tag`
  await client
    .send({ method: 'POST', path, query: { repo: `${registry}/${repository}`, tag } }, signal)
    .catch((error: unknown) => {
      throw refusal(`give the image the name ${text}`, error)
    })
}

async function findImage(
  client: EngineClient,
  text: string,
  reference: ImageReference,
  signal: AbortSignal,
): Promise<Prepared | undefined> {
  // The name as written comes second: engines store images of their own under short names ("localhost/x").
  const written = isIdPart(text) ? `localhost/${text.includes(':') ? text : `${text}:latest`}` : text
  for (const name of new Set([fullReference(reference), written])) {
    const found = await inspectImage(client, name, signal)
    if (found === undefined) continue
    const prefix = `${reference.registry}/${reference.repository}@`
    const short = `${reference.repository.replace(/^library\//, '')}@`
    const digests = found.repoDigests.filter(
      (entry) => entry.startsWith(prefix) || entry.startsWith(short) || entry.startsWith(`${reference.repository}@`),
    )
    const all = digests.flatMap((entry) => entry.split('@').slice(1))
    const digest = reference.digest ?? (await registryDigest(client, name, all, signal))
    return { id: found.id, ...(digest === undefined ? {} : { digest }), ...(all.length > 1 && { digests: all }) }
  }
  return undefined
}

/**
 * Engines take these as the beginning of an image's id, and would start whichever image matches. A whole `sha256:` id
 * is one.
 */
function isIdPart(text: string): boolean {
  return /^[0-9a-f]+$/.test(text) || /^sha256:[0-9a-f]{1,63}$/.test(text)
}

const podmanImageSchema = z.looseObject({ Digest: z.string() })

/**
 * Podman keeps all manifests that it saw of an image, sorted. Its `Digest` is the first that arrived, which no registry
 * knows if the image was built here. What a registry supplied since then is the other one.
 */
async function registryDigest(
  client: EngineClient,
  name: string,
  digests: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  if (digests.length < 2) return digests[0]
  const path = `/v4.0.0/libpod/images/${name}/json`
  const first = await client.json(podmanImageSchema, { method: 'GET', path }, signal).catch(() => undefined)
  return digests.find((digest) => digest !== first?.Digest)
}

export async function inspectImage(
  client: EngineClient,
  name: string,
  signal: AbortSignal,
): Promise<{ id: string; repoDigests: string[] } | undefined> {
  try {
    const image = await client.json(imageSchema, { method: 'GET', path: `/images/${name}/json` }, signal)
    const id = image.Id.startsWith('sha256:') ? image.Id : `sha256:${image.Id}`
    return { id, repoDigests: image.RepoDigests ?? [] }
  } catch (error) {
    if (hasStatus(error, 404)) return undefined
    throw refusal(`look up the image ${name}`, error)
  }
}

async function pullImage(
  deps: ImageDeps,
  text: string,
  reference: ImageReference,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client } = deps
  options.onProgress({ phase: 'pulling', detail: text })
  const credentials = await registryCredentials(deps.dockerConfigFolder, reference.registry, signal)
  const headers = credentials === undefined ? {} : { 'x-registry-auth': authHeader(credentials) }
  const query = {
    fromImage: `${reference.registry}/${reference.repository}`,
    tag: reference.digest ?? reference.tag ?? 'latest',
  }
  try {
    const response = await client.stream({ method: 'POST', path: '/images/create', query, headers }, signal)
    const progress = createPullProgress(text)
    for await (const value of jsonLines(client.label, response, signal)) {
      const line = pullLineSchema.parse(value)
      const failure = line.errorDetail?.message ?? line.error
      if (failure !== undefined) throw new EngineFault(500, failure)
      const step = progress(line)
      if (step !== undefined) options.onProgress(step)
    }
  } catch (error) {
    throw error instanceof EngineFault ? pullError(text, reference.registry, credentials !== undefined, error) : error
  }
}

/** The URL-safe alphabet with padding: Podman refuses it without. */
function authHeader(credentials: RegistryCredentials): string {
  return Buffer.from(JSON.stringify(credentials)).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}

function pullError(text: string, registry: string, hadCredentials: boolean, fault: EngineFault): ThvError {
  const message = fault.message.toLowerCase()
  const login = `docker login ${registry === 'docker.io' ? '' : registry}`.trim()
  if (/unauthorized|denied|authentication required|no basic auth|forbidden/.test(message)) {
    const advice = hadCredentials
      ? `the credentials for ${registry} were refused. Run "${login}" again`
      : `check the name, or run "${login}" if it is private`
    return message.includes('does not exist')
      ? notFound(`The image ${text} was not found: ${advice}.`, fault)
      : invalid(`The registry refused the image ${text}: ${advice}.`, fault)
  }
  if (/not found|manifest unknown|name unknown|no such image|no matching manifest/.test(message)) {
    return notFound(`The image ${text} is not in its registry. Check the name and the tag.`, fault)
  }
  return notFound(
    `The image ${text} is not on this engine and could not be pulled from ${registry}: ${fault.message.replaceAll(/\s+/g, ' ')}`,
    fault,
  )
}
