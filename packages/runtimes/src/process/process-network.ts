import { invalid } from '@toolhaven/core/errors'
import { LABELS, type InstanceSpec } from '@toolhaven/core/ports/runtime'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import { refusePipeMounts } from '../isolation/refuse-pipe-mounts.ts'
import { refuseSocketMounts } from '../isolation/refuse-socket-mounts.ts'
import { makeSocketFolder, passingSocketFolder, type SocketFolder } from '../isolation/socket-folder.ts'
import { socatCommand } from '../isolation/socat.ts'
import { forwarderWays, waysOf, type Ways } from '../isolation/ways.ts'
import { LAST_DESCRIPTOR } from './sandbox-plan.ts'
import type { ForwardedNetwork } from './sandbox-plan.ts'
import type { Sandbox } from './sandbox.ts'

export interface ProcessNetwork {
  forwarded: ForwardedNetwork
  place: SocketFolder
}

/**
 * The network of a server that has only a loopback but must be reached or must reach something. Undefined for all
 * others.
 */
export async function processNetwork(
  isolation: IsolationPlaces,
  spec: InstanceSpec,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<ProcessNetwork | undefined> {
  const { network, targetPort } = spec
  if (network === 'host') return undefined
  if (!sandbox.isolatesNetwork)
    throw invalid(
      'A network of its own needs a sandbox, and this machine has none. Install bubblewrap, or give the server the network of this machine with network_mode host (--network host).',
    )
  await refuseSocketMounts(spec.mounts)
  await refusePipeMounts(spec.mounts, signal)
  if (network === 'none' && targetPort === undefined) return undefined
  if (!sandbox.takesForwarder)
    throw invalid(
      `Network isolation needs bubblewrap with a system call filter, and this machine has ${sandbox.description}. Install bubblewrap, or give the server the network of this machine with network_mode host (--network host).`,
    )
  const place = passingSocketFolder(isolation.socketDir, spec.labels[LABELS.instance] ?? '', spec.name)
  const out = network === 'none' ? undefined : network
  const wayIn = targetPort === undefined ? undefined : { socketPath: place.socketPath, port: targetPort }
  const forwarded = await forwardedNetwork(isolation, waysOf(out, out?.folder ?? '', wayIn), signal)
  await makeSocketFolder(place)
  return { forwarded, place }
}

/** With our own program where it exists or can be built, otherwise with socat. */
async function forwardedNetwork(
  { forwarder, socat }: IsolationPlaces,
  ways: Ways,
  signal: AbortSignal,
): Promise<ForwardedNetwork> {
  try {
    const { program } = await forwarder(signal)
    const command = [program, '-N', '-k', String(LAST_DESCRIPTOR), ...forwarderWays(ways), '--'] as const
    return { forwarder: command, hasNames: ways.out !== undefined }
  } catch (error) {
    signal.throwIfAborted()
    const found = await socat()
    if (found === undefined) throw error
    return { forwarder: socatCommand(found, ways, LAST_DESCRIPTOR), hasNames: false }
  }
}
