import type { RemoteAuthConfig } from '@toolhaven/contract/access-config'
import type { RunConfig } from '@toolhaven/contract/run-config'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { conflict } from '../../errors.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { withPolicies } from '../config/authorization.ts'
import { checkBindAddress, checkConfig } from '../config/check-config.ts'
import { type Problems, REFUSE } from '../config/problems.ts'
import { choosePort } from './choose-port.ts'
import { composeRunConfig } from '../config/compose.ts'
import { spelledOut } from '../config/spelled-out.ts'
import { checkConfirmed } from './confirm.ts'
import { hideSecrets, withoutSecrets } from './hide-secrets.ts'
import { oidcConfigOf } from '../config/oidc.ts'
import { withKept } from './kept-fields.ts'
import { leaveDeletedGroup } from './move.ts'
import { timestamp } from '../config/timestamp.ts'
import { type TargetOptions, packageOf, resolveTarget, uniqueName } from './target.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

/** The origin of a request, and its consequences. */
export interface Origin extends TargetOptions {
  /** Names of secrets that a request cannot express. */
  remote_auth_config?: RemoteAuthConfig
  /** Values that no request can express. */
  imported?: RunConfig
}

/** Checks and stores a workload. Fetching and starting continue after the answer. */
export async function createWorkload(
  deps: WorkloadsDeps,
  request: CreateRequest,
  origin: Origin = {},
): Promise<{ name: string; port: number }> {
  using draft = await draftCreate(deps, request, origin, REFUSE)
  const { stored } = draft
  const { port } = stored
  const { name } = stored.config
  await deps.book.add(stored)
  await leaveDeletedGroup(deps, name)
  await deps.journal.append({ actor: 'api', action: 'create', target: name, detail: { package: stored.package, port } })
  deps.poke(name)
  void deps.syncClients()
  return { name, port }
}

export interface Draft extends Disposable {
  stored: StoredWorkload
}

/** What would be stored. Holds name and port until it is disposed of, but not for a plan. */
export async function draftCreate(
  deps: WorkloadsDeps,
  request: CreateRequest,
  { urlOrigin, knownOnly, imported, ...secrets }: Origin,
  problems: Problems,
): Promise<Draft> {
  const { authz_config: _policies, ...withoutOwn } = request
  const readable = await problems.wait('authz_config', () => withPolicies(deps, request), withoutOwn)
  const target = await resolveTarget(deps, readable, { urlOrigin, knownOnly })
  const asked = spelledOut(readable, target)
  problems.check('name', () => refuseTakenName(deps, asked.name), undefined)
  let port = await portFor(deps, asked, problems)
  // Another create may have taken the port in the meantime. If the request named it, the reservation refuses it.
  while (!problems.isPlan && deps.book.isPortTaken(port)) port = await portFor(deps, asked, problems)
  const name = asked.name ?? uniqueName(target.suggestedName, (candidate) => deps.book.isNameTaken(candidate))
  // Nothing is awaited between the choice of port and name and their reservation.
  using held = new DisposableStack()
  if (!problems.isPlan) held.use(deps.book.reserve(name, port))

  const composed = composeRunConfig(name, port, asked, target, problems)
  checkConfirmed(deps.host, asked, target, composed, { origin: urlOrigin, problems })
  const complete = { ...composed.config, ...secrets }
  const kept = imported ? withKept(complete, imported) : complete
  const checked = await checkConfig(deps, kept, target.entry, { problems })
  const config = await hideSecrets(deps, checked, target)
  const stored: StoredWorkload = {
    asked: { ...withoutSecrets(asked, config), name },
    ...(target.entry && { entry: target.entry }),
    config,
    wanted: 'running',
    port,
    createdAt: timestamp(deps),
    generation: 1,
    package: config.folder?.path ?? packageOf(target),
    profileOrigin: composed.profileOrigin,
    ...(target.kind === 'remote' && target.publicOnly && { publicOnly: true }),
  }
  const reservation = held.move()
  return { stored, [Symbol.dispose]: () => reservation.dispose() }
}

async function portFor(deps: WorkloadsDeps, asked: CreateRequest, problems: Problems): Promise<number> {
  const { host = '', proxy_port: wanted = NO_PORT } = asked
  const address = host || '127.0.0.1'
  // Before the search for a port, so that no address of other programs is tried.
  const choose = async () => {
    checkBindAddress(deps, address, oidcConfigOf(asked.oidc) !== undefined)
    return problems.isPlan && wanted === NO_PORT ? NO_PORT : choosePort(deps, address, asked.proxy_port)
  }
  return problems.wait('proxy_port', choose, wanted)
}

/** For a plan. A port is chosen when the workload is created. */
export const NO_PORT = 0

function refuseTakenName(deps: WorkloadsDeps, name: string | undefined): void {
  if (name === undefined || !deps.book.isNameTaken(name)) return
  const isRemoving = deps.book.find(name)?.stored.wanted === 'absent'
  throw conflict(
    isRemoving
      ? `workload ${name} is still being removed; try again in a moment`
      : `workload ${name} already exists; choose another name or delete it first`,
  )
}
