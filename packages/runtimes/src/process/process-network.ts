import { writeFile } from 'node:fs/promises'
import { invalid } from '@toolhaven/core/errors'
import { LABELS, type InstanceSpec } from '@toolhaven/core/ports/runtime'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import { refuseSocketMounts } from '../isolation/refuse-socket-mounts.ts'
import { makeSocketFolder, socketFolder, type SocketFolder } from '../isolation/socket-folder.ts'
import { forwarderWays, hostsFile } from '../isolation/ways.ts'
import type { ForwardedNetwork } from './sandbox-plan.ts'
import type { Sandbox } from './sandbox.ts'

export interface ProcessNetwork {
  forwarded: ForwardedNetwork
  place: SocketFolder
}

/** The network of a server that has a loopback only but must be reached or must reach something; undefined for all others. */
export async function processNetwork(
  { socketDir, forwarder }: IsolationPlaces,
  spec: InstanceSpec,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<ProcessNetwork | undefined> {
  const { network, targetPort } = spec
  if (network === 'full') return undefined
  if (!sandbox.isolatesNetwork)
    throw invalid(
      'A server without network access needs a sandbox; install bubblewrap, or allow the server the network.',
    )
  await refuseSocketMounts(spec.mounts)
  if (network === 'none' && targetPort === undefined) return undefined
  if (!sandbox.takesForwarder)
    throw invalid(
      `Network isolation needs bubblewrap with a system call filter, and this machine has ${sandbox.description}; install bubblewrap, or allow the server the whole network.`,
    )
  const { program } = await forwarder(signal)
  const place = socketFolder(socketDir, spec.labels[LABELS.instance] ?? '', spec.name)
  await makeSocketFolder(place)
  const out = network === 'none' ? undefined : network
  await writeFile(place.hostsFile, hostsFile(out), { mode: 0o644 })
  const wayIn = targetPort === undefined ? undefined : { socketPath: place.socketPath, port: targetPort }
  const ways = forwarderWays(out, out?.folder ?? '', wayIn)
  return { forwarded: { forwarder: program, ways, hostsPath: place.hostsFile }, place }
}
