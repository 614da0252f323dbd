import { imageServer, remoteServer } from '@toolhaven/contract/registry-document'
import { runConfig } from '@toolhaven/contract/run-config'
import { startedImage } from '@toolhaven/contract/workloads'
import { createRequest } from '@toolhaven/contract/workload-request'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RecordStore, StoredWorkload } from '@toolhaven/core/ports/stores'
import * as z from 'zod'
import { createRecordStore } from './record-store.ts'

const FORMAT = 1

/** What an upgrade may change, and puts back. */
const mayBeUpgraded = {
  // 0 is accepted because earlier versions stored it for "no port".
  asked: createRequest.extend({ target_port: z.int().min(0).max(65535).optional() }),
  entry: z.union([imageServer, remoteServer]).exactOptional(),
  config: runConfig,
  wanted: z.enum(['running', 'stopped', 'absent']),
  package: z.string(),
  resolved: z
    .strictObject({
      reference: z.string(),
      digest: z.string().exactOptional(),
      verification: z
        .strictObject({
          outcome: startedImage.shape.verification.unwrap(),
          detail: z.string(),
          digest: z.string().exactOptional(),
        })
        .exactOptional(),
    })
    .exactOptional(),
  profileOrigin: z.enum(['request', 'registry', 'default']),
  needsOwnServers: z.boolean().exactOptional(),
}

const storedWorkload = z.strictObject({
  ...mayBeUpgraded,
  port: z.int().min(0).max(65535),
  createdAt: z.string(),
  generation: z.int().min(0),
  handle: z
    .strictObject({ runtime: z.enum(['docker', 'podman', 'process']), id: z.string(), name: z.string() })
    .exactOptional(),
  publicOnly: z.boolean().exactOptional(),
  upgrade: z.strictObject({ generation: z.int().min(0), before: z.strictObject(mayBeUpgraded) }).exactOptional(),
}) satisfies z.ZodType<StoredWorkload>

export function createWorkloadStore(options: { dir: string; logger: Logger }): RecordStore<StoredWorkload> {
  return createRecordStore<StoredWorkload>({
    ...options,
    schema: storedWorkload,
    format: FORMAT,
    migrations: {},
    nameOf: (workload) => workload.config.name,
  })
}
