import { type InstallAccess, type InstanceSpec, LABELS, type RuntimeName } from '@toolhaven/core/ports/runtime'
import { containerNetwork } from '../engine/container-network.ts'
import { createContainer, killContainer } from '../engine/containers.ts'
import type { EngineClient } from '../engine/engine-client.ts'
import { type InstanceDeps, removeInstance, startInstance } from '../engine/forwarded-instance.ts'
import type { Forwarding } from '../engine/forwarding.ts'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import { INSTALL_LIMITS, INSTALL_MINUTES } from '../install-rules.ts'
import { ended, type StepResult } from './fetch-step.ts'
import { BUILD_LABEL, type Step } from './template.ts'

export interface InstallStep {
  client: EngineClient
  runtime: RuntimeName
  instances: InstanceDeps
  isolation: IsolationPlaces
  forwarding: Forwarding
  hasInit: boolean
  limitsProcesses: boolean
  step: Step
  /** What the fetch left, as an image. */
  fetched: string
  name: string
  owner: string
  access: InstallAccess | undefined
  /** Package indexes that may be reached, as `host:port`. */
  indexes: readonly string[]
  env: Readonly<Record<string, string>>
}

export interface InstallStepResult extends StepResult {
  refused: readonly string[]
}

/** Runs what a package brings as any server is run: an ordinary user without capabilities, under our filter, behind a gate. */
export async function runInstallStep(install: InstallStep, signal: AbortSignal): Promise<InstallStepResult> {
  const { client, runtime, instances, isolation, forwarding, hasInit, limitsProcesses, access, indexes } = install
  // Where no gate can be reached there is no network either.
  const canReach = 'form' in forwarding && (await isolation.lack()) === undefined
  await using network = canReach ? await access?.open(indexes) : undefined
  const spec = specOf(install, network?.way ?? 'none')
  const hardening = { init: hasInit, readOnlyRoot: false }
  const makeNetwork = () => containerNetwork({ client, isolation, forwarding, limitsProcesses }, spec, signal)
  const handle = await createContainer(client, runtime, spec, { hardening, makeNetwork }, signal)
  const kill = () =>
    void killContainer(client, handle.id, 'SIGKILL', AbortSignal.timeout(10_000)).catch(() => undefined)
  const timer = setTimeout(kill, INSTALL_MINUTES * 60_000)
  try {
    await startInstance(instances, handle, signal)
    return { ...(await ended(client, handle, signal)), refused: network?.refused() ?? [] }
  } finally {
    clearTimeout(timer)
    // Not the caller's signal: it must end even when the build was called off.
    await removeInstance(instances, handle, AbortSignal.timeout(30_000))
  }
}

function specOf({ step, fetched, name, owner, env }: InstallStep, network: InstanceSpec['network']): InstanceSpec {
  return {
    name,
    labels: { [LABELS.marker]: 'true', [LABELS.instance]: owner, [BUILD_LABEL]: owner },
    prepared: { id: fetched },
    source: { kind: 'image', reference: fetched },
    // The fetch left a shell as the image's own program.
    args: ['-c', 'exec "$@"', 'sh', ...step.command],
    env: { ...step.env, ...env },
    mounts: [],
    network,
    stdio: false,
    limits: INSTALL_LIMITS,
  }
}
