import { isCover } from '@toolhaven/core/ports/hiding'
import type { Confinement } from '@toolhaven/core/ports/runtime'
import { z } from 'zod'
import { processFacts } from '../confinement/process-facts.ts'
import { isOwnTarget } from './container-network.ts'
import type { EngineClient } from './engine-client.ts'
import { hasStatus, refusal } from './engine-fault.ts'
import { isUserFile } from './package-user.ts'
import { pidHere } from './pid-here.ts'

const schema = z.looseObject({
  Id: z.string(),
  State: z.looseObject({ Pid: z.number().optional(), Running: z.boolean().optional() }),
  Config: z.looseObject({ User: z.string().nullish() }),
  HostConfig: z.looseObject({
    CapDrop: z.array(z.string()).nullish(),
    CapAdd: z.array(z.string()).nullish(),
    Privileged: z.boolean().nullish(),
    SecurityOpt: z.array(z.string()).nullish(),
    NetworkMode: z.string().nullish(),
    ReadonlyRootfs: z.boolean().nullish(),
    Memory: z.number().nullish(),
    NanoCpus: z.number().nullish(),
    PidsLimit: z.number().nullish(),
  }),
  Mounts: z
    .array(z.looseObject({ Source: z.string().nullish(), Destination: z.string(), RW: z.boolean().nullish() }))
    .nullish(),
})
type Inspected = z.infer<typeof schema>

/** What confines a container: from the kernel where its process is on this machine, otherwise from the engine. */
export async function containerConfinement(
  client: EngineClient,
  id: string,
  signal: AbortSignal,
): Promise<Confinement | undefined> {
  const call = { method: 'GET', path: `/containers/${encodeURIComponent(id)}/json` } as const
  const found = await client.json(schema, call, signal).catch((error: unknown) => {
    if (hasStatus(error, 404)) return undefined
    throw refusal(`inspect the container ${id}`, error)
  })
  if (!found?.State.Running) return undefined
  const pid = await pidHere(found.Id, found.State.Pid)
  const facts = (pid === undefined ? undefined : await processFacts(pid)) ?? engineFacts(found)
  const theirs = (found.Mounts ?? []).filter(
    ({ Source, Destination, RW }) =>
      !isOwnTarget(Destination) && !(isUserFile(Destination) && RW === false) && !isCover(Source ?? ''),
  )
  const mounts = theirs.map(({ Source, Destination, RW }) => ({
    source: Source ?? '',
    target: Destination,
    read_only: RW === false,
  }))
  return { ...facts, privileged: found.HostConfig.Privileged === true, mounts }
}

/** What the engine was told to do. */
export function engineFacts({ Config, HostConfig }: Inspected): Omit<Confinement, 'mounts' | 'privileged'> {
  const { CapDrop, CapAdd, SecurityOpt, NetworkMode, Memory, NanoCpus, PidsLimit } = HostConfig
  const options = SecurityOpt ?? []
  const dropsAll = CapDrop?.some((name) => name.toUpperCase() === 'ALL' || CapDrop.length > 10) ?? false
  return {
    seen_by: 'engine',
    user: Config.User || '0',
    capabilities: [...(dropsAll ? [] : ['the engine’s default']), ...(CapAdd ?? [])],
    no_new_privileges: options.some((option) => option.startsWith('no-new-privileges')),
    system_call_filter: !options.some((option) => /seccomp[=:]unconfined/.test(option)),
    own_files: true,
    read_only_root: HostConfig.ReadonlyRootfs === true,
    network:
      NetworkMode === 'none' || NetworkMode?.startsWith('container:')
        ? 'none'
        : NetworkMode === 'host'
          ? 'host'
          : 'own',
    ...(Memory && { memory_bytes: Memory }),
    ...(PidsLimit && PidsLimit > 0 && { pids: PidsLimit }),
    ...(NanoCpus && { cpus: NanoCpus / 1e9 }),
  }
}
