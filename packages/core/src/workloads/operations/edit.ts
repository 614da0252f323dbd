import type { RemoteAuthConfig } from '@toolhaven/contract/access-config'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import { invalid, notFound } from '../../errors.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { withPolicies } from '../config/authorization.ts'
import { checkConfig } from '../config/check-config.ts'
import { composeRunConfig } from '../config/compose.ts'
import { type Problems, REFUSE } from '../config/problems.ts'
import { checkConfirmed } from './confirm.ts'
import { hideSecrets, withoutSecrets } from './hide-secrets.ts'
import { withKeptOfEdited } from './kept-fields.ts'
import { isMove, leaveDeletedGroup, moveToGroup } from './move.ts'
import { type Target, type TargetOptions, resolveTarget, targetOfEntry } from './target.ts'
import { isEmpty } from '../config/without-empty.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

/** Changes a workload and runs it, unless only its group changes. What is left out stays; null or an empty value clears. The port stays. */
export async function editWorkload(
  deps: WorkloadsDeps,
  name: string,
  update: UpdateRequest,
  { knownOnly }: Pick<TargetOptions, 'knownOnly'> = {},
): Promise<{ name: string; port: number }> {
  const moves = isMove(update)
  const { stored, asked, target, profileOrigin, config } = await draftEdit(deps, name, update, { knownOnly }, REFUSE)
  const change = (current: StoredWorkload) => {
    if (current.wanted === 'absent') throw notFound(`workload ${name} is being removed`)
    const { entry: _entry, resolved, publicOnly: _publicOnly, ...rest } = current
    const next: StoredWorkload = {
      ...rest,
      asked: withoutSecrets(asked, config),
      config,
      wanted: 'running',
      generation: current.generation + 1,
      package: target.kind === 'remote' ? target.url : target.image,
      profileOrigin,
    }
    if (target.entry) next.entry = target.entry
    if (target.kind === 'remote' && target.publicOnly) next.publicOnly = true
    // Naming the image again asks for its newest version; otherwise the one found before is kept.
    if (resolved && update.image === undefined) next.resolved = resolved
    // Another server may ask nothing.
    if (update.image !== undefined) delete next.needsOwnServers
    return next
  }
  if (moves) await moveToGroup(deps.book, name, config.group ?? DEFAULT_GROUP)
  else await deps.book.change(name, change, { forgetsFailure: true })
  // Only what it uses from now on says what it needs.
  const isObservedAnew = stored.config.network_isolation_mode !== 'observe'
  if (config.network_isolation_mode === 'observe' && isObservedAnew) deps.sightings.begin(name)
  await leaveDeletedGroup(deps, name)
  await deps.journal.append({ actor: 'api', action: 'edit', target: name, detail: { fields: Object.keys(update) } })
  if (!moves) deps.poke(name)
  void deps.syncClients()
  return { name, port: stored.port }
}

export interface EditDraft {
  /** As it is before the edit. */
  stored: StoredWorkload
  asked: CreateRequest
  target: Target
  profileOrigin: StoredWorkload['profileOrigin']
  config: RunConfig
}

/** What would be written down. */
export async function draftEdit(
  deps: WorkloadsDeps,
  name: string,
  update: UpdateRequest,
  { knownOnly }: Pick<TargetOptions, 'knownOnly'>,
  problems: Problems,
): Promise<EditDraft> {
  const { stored } = deps.book.get(name)
  if (stored.wanted === 'absent') throw notFound(`workload ${name} is being removed`)
  problems.check('name', () => refuseRenaming(name, update), undefined)
  const wished = applyUpdate(stored.asked, update)
  const { authz_config: _policies, ...withoutOwn } = wished
  const asked = await problems.wait('authz_config', () => withPolicies(deps, wished), withoutOwn)
  const target = await targetAfter(deps, stored, asked, { update, knownOnly })
  const keptAuth = keepsHeaders(update, stored, target) ? stored.config.remote_auth_config : undefined
  if (update.headers === undefined && !keptAuth) delete asked.headers
  const composed = composeRunConfig(name, stored.port, asked, target, problems)
  checkConfirmed(deps.host, asked, target, composed, { problems })
  const merged = keptAuth ? withHeadersOf(composed.config, keptAuth) : composed.config
  const kept = withKeptOfEdited(merged, stored.config)
  const checked = await checkConfig(deps, kept, target.entry, { before: stored, problems })
  const config = await hideSecrets(deps, checked, target)
  return { stored, asked, target, profileOrigin: composed.profileOrigin, config }
}

function refuseRenaming(name: string, update: UpdateRequest): void {
  if (update.name !== undefined && update.name !== name)
    throw invalid(`name cannot be changed: it is ${name}; create a new workload instead`)
}

/** Headers hold keys: they go to the server they were given for, and not to another that an edit names. */
function keepsHeaders(update: UpdateRequest, { config }: StoredWorkload, target: Target): boolean {
  if (update.headers !== undefined || target.kind !== 'remote' || config.remote_url === undefined) return false
  return new URL(target.url).origin === new URL(config.remote_url).origin
}

function withHeadersOf(config: RunConfig, { headers, headers_from_secrets: fromSecrets }: RemoteAuthConfig): RunConfig {
  const kept = { ...(headers && { headers }), ...(fromSecrets && { headers_from_secrets: fromSecrets }) }
  const auth = { ...config.remote_auth_config, ...kept }
  return Object.keys(auth).length === 0 ? config : { ...config, remote_auth_config: auth }
}

function applyUpdate(asked: CreateRequest, update: UpdateRequest): CreateRequest {
  const next: CreateRequest = { ...asked }
  for (const [field, value] of Object.entries(update)) {
    if (field === 'name' || value === undefined) continue
    if (isEmpty(value) || (field === 'target_port' && value === 0)) Reflect.deleteProperty(next, field)
    else Reflect.set(next, field, value)
  }
  // What was confirmed for one server is not confirmed for another.
  if (update.image || update.url) {
    if (update.accept_network === undefined) delete next.accept_network
    if (update.accept_mounts === undefined) delete next.accept_mounts
  }
  if (update.image && !update.url) delete next.url
  if (update.url && !update.image) delete next.image
  return next
}

/** Unless another image is named, the registry entry it was made from still counts, as it was then. */
async function targetAfter(
  deps: WorkloadsDeps,
  stored: StoredWorkload,
  asked: CreateRequest,
  { update, knownOnly }: Pick<TargetOptions, 'knownOnly'> & { update: UpdateRequest },
): Promise<Target> {
  const isSame = update.image === undefined && update.url === undefined
  if (isSame && stored.entry)
    return targetOfEntry(deps.host, stored.entry.name ?? stored.config.name, stored.entry, asked)
  const urlOrigin = isSame && stored.publicOnly ? 'import' : 'request'
  return resolveTarget(deps, asked, { urlOrigin, knownOnly: knownOnly && !isSame })
}
