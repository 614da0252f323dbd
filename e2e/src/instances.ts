import { readFile, readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import * as z from 'zod'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineHttp, engineMust } from '@toolhaven/testing/testbed/engine-http'
import { until } from '@toolhaven/testing/testbed/until'
import type { Home } from './home.ts'

const containerList = z.array(
  z.looseObject({ Id: z.string(), ImageID: z.string(), State: z.string(), Labels: z.record(z.string(), z.string()) }),
)

export interface Container {
  id: string
  /** Name of the workload. */
  name: string
  state: string
  imageId: string
  /** Holds the network of a workload, or leads to one that does. */
  isAttendant: boolean
}

/** The containers of workloads, running or not. */
export async function containersOf(engine: Engine): Promise<Container[]> {
  return (await everythingOn(engine)).filter(({ isAttendant }) => !isAttendant)
}

/** Everything on the engine that has our label, attendants last. */
async function everythingOn(engine: Engine): Promise<Container[]> {
  const query = new URLSearchParams({ all: 'true', filters: JSON.stringify({ label: ['toolhaven'] }) })
  const listed = containerList.parse(
    JSON.parse(await engineMust(engine.socketPath, 'GET', `/containers/json?${query}`)),
  )
  const containers = listed.map(({ Id, ImageID, State, Labels }) => ({
    id: Id,
    imageId: ImageID,
    name: Labels['toolhaven-name'] ?? Labels['toolhaven-sidecar-of'] ?? '',
    state: State,
    isAttendant: Labels['toolhaven-sidecar-of'] !== undefined,
  }))
  const order = ({ isAttendant, name }: Container) => `${isAttendant ? 1 : 0} ${name}`
  return containers.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
}

export async function removeContainers(engine: Engine): Promise<void> {
  // In this order: Podman keeps a container whose network another one uses.
  for (const { id } of await everythingOn(engine))
    await engineMust(engine.socketPath, 'DELETE', `/containers/${id}?force=true`)
}

/** Removes the images, except those that another workload uses. */
export async function removeImages(engine: Engine, ids: readonly string[]): Promise<void> {
  for (const id of new Set(ids)) await engineHttp(engine.socketPath, 'DELETE', `/images/${id}`)
}

/** Process ids of all sandboxes of the home's daemon, and of what runs in them: its data folder is mounted there. */
export async function processesOf(home: Home): Promise<number[]> {
  const mark = `/${basename(home.dir)}/data/`
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const mounts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')))
  return pids.filter((_, index) => mounts[index]?.includes(mark))
}

/** Where workloads run: on an engine, or as processes in sandboxes. */
interface Place {
  engine?: Engine
}

/** The workloads that currently have an instance, in whatever state. */
export async function instancesOf(platform: Place, home: Home): Promise<string[]> {
  if (platform.engine) return (await containersOf(platform.engine)).map(({ name }) => name)
  return (await processesOf(home)).map((pid) => `process ${pid}`)
}

/** Waits until nothing of ours runs anywhere. */
export async function untilNothingIsLeft(platform: Place, home: Home): Promise<void> {
  let left: string[] = []
  const look = async () => {
    left = platform.engine
      ? (await everythingOn(platform.engine)).map(({ name }) => name)
      : await instancesOf(platform, home)
    return left.length === 0
  }
  await until('nothing to be left', look, 60_000).catch((error: unknown) => {
    throw new Error(`${String(error)}; left: ${left.join(', ')}`, { cause: error })
  })
}
