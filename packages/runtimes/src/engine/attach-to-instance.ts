import { notFound } from '@toolhaven/core/errors'
import type { InstanceHandle } from '@toolhaven/core/ports/runtime'
import { inspectContainer } from './containers.ts'
import { refusal } from './engine-fault.ts'
import { type InstanceDeps, startNetwork } from './forwarded-instance.ts'

/** Takes over a connection to the container's input and output. */
export async function attachToInstance(instances: InstanceDeps, handle: InstanceHandle, signal: AbortSignal) {
  const { client } = instances
  const container = await inspectContainer(client, handle.id, signal)
  if (container === undefined) throw notFound(`${handle.name} is not on ${client.label} any more.`)
  await startNetwork(instances, handle, container, signal)
  const path = `/containers/${encodeURIComponent(handle.id)}/attach`
  const query = { stream: true, stdin: container.Config.OpenStdin ?? false, stdout: true, stderr: true }
  return client.upgrade({ method: 'POST', path, query }, signal).catch((error: unknown) => {
    throw refusal(`attach to ${handle.name}`, error)
  })
}
