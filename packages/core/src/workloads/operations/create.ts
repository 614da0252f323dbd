import type { RemoteAuthConfig } from '@toolhaven/contract/access-config'
import type { RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { conflict } from '../../errors.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { withPolicies } from '../config/authorization.ts'
import { checkBindAddress, checkConfig } from '../config/check-config.ts'
import { choosePort } from './choose-port.ts'
import { composeRunConfig } from '../config/compose.ts'
import { checkConfirmed } from './confirm.ts'
import { hideSecrets, withoutSecrets } from './hide-secrets.ts'
import { oidcConfigOf } from '../config/oidc.ts'
import { withKept } from './kept-fields.ts'
import { leaveDeletedGroup } from './move-to-default.ts'
import { timestamp } from '../config/timestamp.ts'
import { type TargetOptions, resolveTarget, uniqueName } from './target.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

/** Where a request comes from, and what that means for it. */
export interface Origin extends TargetOptions {
  /** Names of secrets that a request has no words for. */
  remote_auth_config?: RemoteAuthConfig
  /** Says what no request can. */
  imported?: RunConfig
}

/** Checks and writes down a workload; fetching and starting go on behind the answer. */
export async function createWorkload(
  deps: WorkloadsDeps,
  request: CreateRequest,
  { urlOrigin, knownOnly, imported, ...secrets }: Origin = {},
): Promise<{ name: string; port: number }> {
  const asked = await withPolicies(deps, request)
  const target = await resolveTarget(deps, asked, { urlOrigin, knownOnly })
  if (asked.name !== undefined && deps.book.isNameTaken(asked.name)) throw nameTaken(deps, asked.name)
  const host = asked.host || '127.0.0.1'
  // Before a port is looked for: no address of others is tried.
  checkBindAddress(deps, host, oidcConfigOf(asked.oidc) !== undefined)
  let port = await choosePort(deps, host, asked.proxy_port)
  // Another create may have taken the same one meanwhile; a port that was asked for is then refused there.
  while (deps.book.isPortTaken(port)) port = await choosePort(deps, host, asked.proxy_port)
  const name = asked.name ?? uniqueName(target.suggestedName, (candidate) => deps.book.isNameTaken(candidate))
  // Nothing is awaited between the choice of port and name and their reservation.
  using _held = deps.book.reserve(name, port)

  const composed = composeRunConfig(name, port, asked, target)
  checkConfirmed(deps.host, asked, target, composed, urlOrigin)
  const complete = { ...composed.config, ...secrets }
  const checked = await checkConfig(deps, imported ? withKept(complete, imported) : complete, target.entry)
  const config = await hideSecrets(deps, checked, target)
  const stored: StoredWorkload = {
    asked: { ...withoutSecrets(asked, config), name },
    ...(target.entry && { entry: target.entry }),
    config,
    wanted: 'running',
    port,
    createdAt: timestamp(deps),
    generation: 1,
    package: target.kind === 'remote' ? target.url : target.image,
    profileOrigin: composed.profileOrigin,
    ...(target.kind === 'remote' && target.publicOnly && { publicOnly: true }),
  }
  await deps.book.add(stored)
  await leaveDeletedGroup(deps, name)
  await deps.journal.append({ actor: 'api', action: 'create', target: name, detail: { package: stored.package, port } })
  deps.poke(name)
  void deps.syncClients()
  return { name, port }
}

function nameTaken(deps: WorkloadsDeps, name: string) {
  const isRemoving = deps.book.find(name)?.stored.wanted === 'absent'
  return conflict(
    isRemoving
      ? `workload ${name} is still being removed; try again in a moment`
      : `workload ${name} already exists; choose another name or delete it first`,
  )
}
