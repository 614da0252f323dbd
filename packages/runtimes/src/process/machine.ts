import { readFile } from 'node:fs/promises'
import { describeError, unavailable } from '@toolhaven/core/errors'
import type { RuntimeCapabilities, RuntimeHealth } from '@toolhaven/core/ports/runtime'
import { findControlGroups } from './control-group.ts'
import type { ControlGroups } from './control-group.ts'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import { detectSandbox } from './sandbox.ts'
import type { Sandbox, SandboxOptions } from './sandbox.ts'

/** What this machine has to run servers safely with. */
export interface Machine {
  sandbox: Sandbox
  controlGroups: ControlGroups
}

export type LookAtMachine = (signal: AbortSignal) => Promise<Machine>

/** What was found stays true; a failure is looked at again, since the user may have installed what was missing. */
export function machineLook(
  options: Pick<SandboxOptions, 'dataDir' | 'nodePath' | 'env' | 'allowUnsandboxed'>,
): LookAtMachine {
  let found: Machine | undefined
  return async (signal) => (found ??= await look(options, signal))
}

async function look(options: Parameters<typeof machineLook>[0], signal: AbortSignal): Promise<Machine> {
  const { platform, arch } = process
  const isRoot = process.getuid?.() === 0
  const sandbox = await detectSandbox({ ...options, platform, arch, isRoot }, signal)
  if ('reason' in sandbox) {
    throw unavailable(`Servers cannot be run safely without a container engine here: ${sandbox.reason}`)
  }
  const ownGroups = await readFile('/proc/self/cgroup', 'utf8').catch(() => '')
  return { sandbox, controlGroups: await findControlGroups('/sys/fs/cgroup', ownGroups) }
}

export async function probeMachine(
  machine: LookAtMachine,
  isolation: IsolationPlaces,
  signal: AbortSignal,
): Promise<RuntimeHealth> {
  try {
    const { sandbox, controlGroups } = await machine(signal)
    const forwarder = await describeForwarder(sandbox, isolation)
    const capabilities: RuntimeCapabilities = {
      images: false,
      survivesDaemon: false,
      memoryLimit: controlGroups.memory !== undefined,
      cpuLimit: controlGroups.cpu !== undefined,
      pidsLimit: controlGroups.pids !== undefined,
      sandbox: [sandbox.description, ...forwarder.words].join(', '),
    }
    const notes = [...sandbox.notes, ...forwarder.notes, ...controlGroups.reasons]
    return { state: 'healthy', version: process.version, capabilities, notes }
  } catch (error) {
    return { state: 'undetected', reason: describeError(error) }
  }
}

/** Which program connects isolated servers, or why there are none. */
async function describeForwarder(
  { takesForwarder }: Sandbox,
  { lack, socat }: IsolationPlaces,
): Promise<{ words: string[]; notes: string[] }> {
  const reason = takesForwarder ? await lack() : 'it needs bubblewrap with a system call filter'
  if (reason === undefined) return { words: ['native forwarder'], notes: [] }
  if (takesForwarder && (await socat()) !== undefined)
    return {
      words: ['socat as forwarder'],
      notes: [
        `Isolated servers are connected by socat, a process for each connection; for our own program: ${reason}.`,
      ],
    }
  return { words: [], notes: [`Servers with network isolation or a list of allowed hosts are refused: ${reason}.`] }
}
