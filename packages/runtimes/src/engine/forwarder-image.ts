import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { unavailable } from '@toolhaven/core/errors'
import type { FindForwarder, ForwarderProgram } from '../isolation/forwarder-program.ts'
import { tar } from '../packages/tar.ts'
import { untilAborted } from '../until-aborted.ts'
import type { EngineClient } from './engine-client.ts'
import { refusal } from './engine-fault.ts'
import { inspectImage } from './images.ts'

/** Folders of the sockets for the ways out and in, and of what a workload is started with. */
export const OUT = '/o'
export const IN = '/i'
export const TOOLS = '/t'

/** Owner of the folders of sockets in the image, and so in volumes that are first mounted over them. */
export const VOLUME_USER = 1000

/** Returns the id of an image with the forwarder in it and nothing else. */
export type FindForwarderImage = (signal: AbortSignal) => Promise<string>

/** An import that the engine never answers must not delay every later start. */
const PATIENCE_MS = 120_000

/**
 * Finds the image on one engine, or imports it. Workloads that start at the same time share one import: each further
 * one would take the name from the image before it, which then remains without a name.
 */
export function forwarderImageFinder(
  client: EngineClient,
  findProgram: FindForwarder,
  patienceMs = PATIENCE_MS,
): FindForwarderImage {
  let finding: Promise<string> | undefined
  return async (signal) => {
    const program = await findProgram(signal)
    finding ??= findOrImportInTime(client, program, patienceMs).finally(() => {
      // The image can be removed later, so the next caller looks again.
      finding = undefined
    })
    return untilAborted(finding, signal)
  }
}

async function findOrImportInTime(
  client: EngineClient,
  program: ForwarderProgram,
  patienceMs: number,
): Promise<string> {
  const limit = AbortSignal.timeout(patienceMs)
  try {
    return await findOrImport(client, program, limit)
  } catch (error) {
    if (!limit.aborted) throw error
    throw unavailable(
      `${client.label} did not take the image of the forwarder, which connects isolated workloads, within ${patienceMs / 1000} s. Look at its own log.`,
      error,
    )
  }
}

async function findOrImport(
  client: EngineClient,
  { folder, program, filter }: ForwarderProgram,
  signal: AbortSignal,
): Promise<string> {
  // In the name, not the tag: Podman drops the tag of an import.
  const repo = `localhost/toolhaven-forwarder-${basename(folder)}`
  const known = await inspectImage(client, `${repo}:latest`, signal)
  if (known !== undefined) return known.id
  const forwarder = await readFile(program)
  const files = { forwarder, 't/forwarder': forwarder, 't/filter': await readFile(filter) }
  const folders = ['o', 'i'].map((name) => ({ name, owner: VOLUME_USER }))
  const body = tar(files, 0o755, folders)
  const call = { method: 'POST', path: '/images/create', query: { fromSrc: '-', repo, tag: 'latest' }, body } as const
  await client.send(call, signal).catch((error: unknown) => {
    throw refusal('take the image of the forwarder', error)
  })
  const made = await inspectImage(client, `${repo}:latest`, signal)
  if (made === undefined)
    throw unavailable(`${client.label} did not keep the image of the forwarder. Look at its own log.`)
  return made.id
}
