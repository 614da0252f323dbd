import { z } from 'zod'
import type { EngineClient } from './engine-client.ts'
import { refusal } from './engine-fault.ts'

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

export interface EngineInfo extends z.infer<typeof infoSchema> {
  version: string
  isPodman: boolean
  rootless: boolean
  seccomp: boolean
}

/** What the engine says of itself and of the kernel below it. */
export async function engineInfo(client: EngineClient, signal: AbortSignal): Promise<EngineInfo> {
  try {
    const [version, info] = await Promise.all([
      client.json(versionSchema, { method: 'GET', path: '/version' }, signal),
      client.json(infoSchema, { method: 'GET', path: '/info' }, signal),
    ])
    const options = info.SecurityOptions ?? []
    return {
      ...info,
      version: version.Version.replace(/\+.*$/, ''),
      isPodman: version.Components?.some((component) => component.Name === 'Podman Engine') ?? false,
      rootless: info.Rootless === true || options.some((option) => option.startsWith('name=rootless')),
      seccomp: options.some((option) => option.startsWith('name=seccomp') && !option.includes('profile=unconfined')),
    }
  } catch (error) {
    throw refusal('describe itself', error)
  }
}
