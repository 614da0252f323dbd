import { z } from 'zod'
import type { EngineClient } from './engine-client.ts'
import { EngineFault, refusal } from './engine-fault.ts'

const versionSchema = z.looseObject({
  Version: z.string(),
  Components: z.array(z.looseObject({ Name: z.string() })).nullish(),
})
const infoSchema = z.looseObject({
  MemoryLimit: z.boolean().optional(),
  PidsLimit: z.boolean().optional(),
  CpuCfsQuota: z.boolean().optional(),
  CgroupVersion: z.string().optional(),
  CgroupDriver: z.string().optional(),
  KernelVersion: z.string().optional(),
  OperatingSystem: z.string().optional(),
  InitBinary: z.string().optional(),
  Rootless: z.boolean().optional(),
  SecurityOptions: z.array(z.string()).nullish(),
})

export interface EngineVersion {
  version: string
  isPodman: boolean
}

export interface EngineInfo extends z.infer<typeof infoSchema>, EngineVersion {
  rootless: boolean
  seccomp: boolean
}

/**
 * Podman sends its version with each answer. To answer `/version`, it asks the package manager about all of its parts,
 * which is slow on a busy machine.
 */
export async function engineVersion(client: EngineClient, signal: AbortSignal): Promise<EngineVersion> {
  const podman = await orRefuse(versionInHeaders(client, signal))
  if (podman !== undefined) return { version: podman, isPodman: true }
  const said = await orRefuse(client.json(versionSchema, { method: 'GET', path: '/version' }, signal))
  return {
    version: said.Version.replace(/\+.*$/, ''),
    isPodman: said.Components?.some((component) => component.Name === 'Podman Engine') ?? false,
  }
}

async function versionInHeaders(client: EngineClient, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { headers } = (await client.stream({ method: 'GET', path: '/_ping' }, signal)).resume()
    const said = headers['libpod-api-version']
    return typeof said === 'string' ? said.replace(/\+.*$/, '') : undefined
  } catch (error) {
    // Some proxies do not serve this path.
    if (error instanceof EngineFault) return undefined
    throw error
  }
}

/** What the engine says about itself and the kernel below it. */
export async function engineInfo(client: EngineClient, signal: AbortSignal): Promise<EngineInfo> {
  const [version, info] = await Promise.all([
    engineVersion(client, signal),
    orRefuse(client.json(infoSchema, { method: 'GET', path: '/info' }, signal)),
  ])
  const options = info.SecurityOptions ?? []
  return {
    ...info,
    ...version,
    rootless: info.Rootless === true || options.some((option) => option.startsWith('name=rootless')),
    seccomp: options.some((option) => option.startsWith('name=seccomp') && !option.includes('profile=unconfined')),
  }
}

/** If the engine does not answer such a question, the error is in words for people. */
export function orRefuse<T>(asked: Promise<T>): Promise<T> {
  return asked.catch((error: unknown) => {
    throw refusal('describe itself', error)
  })
}
