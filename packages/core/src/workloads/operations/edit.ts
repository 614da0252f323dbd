import type { RunConfig } from '@toolhaven/contract/run-config'
import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import { conflict, invalid, notFound } from '../../errors.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { withPolicies } from '../config/authorization.ts'
import { checkConfig } from '../config/check-config.ts'
import { composeRunConfig } from '../config/compose.ts'
import { type Problems, REFUSE } from '../config/problems.ts'
import { revisionOf } from '../config/revision.ts'
import { beforeUpgrade } from '../../upgrades/before-upgrade.ts'
import { checkConfirmed } from './confirm.ts'
import { withoutGiven } from './header-secrets.ts'
import { hideSecrets, withoutSecrets } from './hide-secrets.ts'
import { withKeptOfEdited } from './kept-fields.ts'
import { isMove, leaveDeletedGroup, moveToGroup } from './move.ts'
import { refuseNewOpenings } from './new-openings.ts'
import { type Target, type TargetOptions, packageOf, resolveTarget, targetOfEntry } from './target.ts'
import { isEmpty } from '../config/without-empty.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

export interface EditOptions extends Pick<TargetOptions, 'knownOnly'> {
  /** The revision that the edit is based on. */
  revision?: string | undefined
  /** The edit names another version of the same server. */
  upgrade?: Upgrade
}

interface Upgrade {
  /** The version, if the image of the configuration does not name it. */
  reference?: string
}

/**
 * Changes a workload and runs it, unless only its group changes. Omitted fields stay; null or an empty value clears a field. The
 * port stays.
 */
export async function editWorkload(
  deps: WorkloadsDeps,
  name: string,
  update: UpdateRequest,
  options: EditOptions = {},
): Promise<{ name: string; port: number }> {
  const moves = isMove(update)
  const { stored, asked, target, profileOrigin, config } = await draftEdit(deps, name, update, options, REFUSE)
  const change = (current: StoredWorkload) => {
    if (options.revision !== undefined && current.config !== stored.config) throw changedMeanwhile(name)
    if (current.wanted === 'absent') throw notFound(`workload ${name} is being removed`)
    const { entry: _entry, resolved, publicOnly: _publicOnly, upgrade: _upgrade, ...rest } = current
    const next: StoredWorkload = {
      ...rest,
      asked: withoutSecrets(asked, config),
      config,
      wanted: 'running',
      generation: current.generation + 1,
      package: config.folder?.path ?? packageOf(target),
      profileOrigin,
    }
    if (target.entry) next.entry = target.entry
    if (target.kind === 'remote' && target.publicOnly) next.publicOnly = true
    // An edit that names the image again gets its newest version. Otherwise the version found before is kept.
    if (resolved && update.image === undefined && !config.folder) next.resolved = resolved
    if (options.upgrade?.reference !== undefined) next.resolved = { reference: options.upgrade.reference }
    if (options.upgrade) next.upgrade = { generation: next.generation, before: beforeUpgrade(current) }
    // Another server may never ask its clients anything.
    if (update.image !== undefined || update.folder !== undefined) delete next.needsOwnServers
    return next
  }
  if (moves) await moveToGroup(deps.book, name, config.group ?? DEFAULT_GROUP)
  else await deps.book.change(name, change, { forgetsFailure: true })
  // Only future connections show what it needs.
  const isObservedAnew = stored.config.network_isolation_mode !== 'observe'
  if (config.network_isolation_mode === 'observe' && isObservedAnew) deps.sightings.begin(name)
  await leaveDeletedGroup(deps, name)
  await deps.journal.append({ actor: 'api', action: 'edit', target: name, detail: { fields: Object.keys(update) } })
  if (!moves) deps.poke(name)
  void deps.syncClients()
  return { name, port: stored.port }
}

export interface EditDraft {
  /** The state before the edit. */
  stored: StoredWorkload
  asked: CreateRequest
  target: Target
  profileOrigin: StoredWorkload['profileOrigin']
  config: RunConfig
}

/** What would be stored. */
export async function draftEdit(
  deps: WorkloadsDeps,
  name: string,
  update: UpdateRequest,
  { knownOnly, revision, upgrade }: EditOptions,
  problems: Problems,
): Promise<EditDraft> {
  const { stored } = deps.book.get(name)
  const isOther = revision !== undefined && revision !== (await revisionOf(stored))
  const refuseOther = () => {
    if (isOther) throw changedMeanwhile(name)
  }
  problems.check(undefined, refuseOther, undefined)
  if (stored.wanted === 'absent') throw notFound(`workload ${name} is being removed`)
  problems.check('name', () => refuseRenaming(name, update), undefined)
  const wished = applyUpdate(stored.asked, update)
  const { authz_config: _policies, ...withoutOwn } = wished
  const readable = await problems.wait('authz_config', () => withPolicies(deps, wished), withoutOwn)
  const target = await targetAfter(deps, stored, readable, { update, knownOnly })
  const { asked, inForce } = withHeaders(readable, update, stored, target)
  const composed = composeRunConfig(name, stored.port, inForce, target, problems)
  checkConfirmed(deps.host, asked, target, composed, { problems })
  const kept = withKeptOfEdited(composed.config, stored.config, upgrade !== undefined)
  const checked = await checkConfig(deps, kept, target.entry, { before: stored, problems })
  const refuseMore = () => refuseNewOpenings(stored.config, checked, asked.accept_network === true)
  if (upgrade) problems.check('accept_network', refuseMore, undefined)
  const config = await hideSecrets(deps, checked, target)
  return { stored, asked, target, profileOrigin: composed.profileOrigin, config }
}

const changedMeanwhile = (name: string) => conflict(`${name} has changed in the meantime; read its configuration again`)

function refuseRenaming(name: string, update: UpdateRequest): void {
  if (update.name !== undefined && update.name !== name)
    throw invalid(`name cannot be changed: it is ${name}; create a new workload instead`)
}

/**
 * Headers hold keys. They go only to the server they were set for, not to another one that an edit names. The headers in force
 * include those whose values are in the secret store.
 */
function withHeaders(
  { headers, headers_from_secrets: named, ...rest }: CreateRequest,
  update: UpdateRequest,
  { asked: before, config }: StoredWorkload,
  target: Target,
): { asked: CreateRequest; inForce: CreateRequest } {
  const known = isSameServer(config, target) ? config.remote_auth_config : undefined
  const plain = update.headers === undefined ? known?.headers : headers
  const isNamed = update.headers_from_secrets !== undefined
  const kept = (secrets: Record<string, string> = {}) => (isNamed ? named : withoutGiven(secrets, update.headers))
  const withSecrets = (secrets: Record<string, string> = {}): CreateRequest => ({
    ...rest,
    ...(plain && { headers: plain }),
    ...(!isEmpty(secrets) && { headers_from_secrets: secrets }),
  })
  return {
    asked: withSecrets(kept(known && before.headers_from_secrets)),
    inForce: withSecrets(kept(known?.headers_from_secrets)),
  }
}

function isSameServer({ remote_url: before }: RunConfig, target: Target): boolean {
  return target.kind === 'remote' && before !== undefined && new URL(target.url).origin === new URL(before).origin
}

function applyUpdate(asked: CreateRequest, update: UpdateRequest): CreateRequest {
  const next: CreateRequest = { ...asked }
  for (const [field, value] of Object.entries(update)) {
    if (field === 'name' || value === undefined) continue
    if (isEmpty(value) || (field === 'target_port' && value === 0)) Reflect.deleteProperty(next, field)
    else Reflect.set(next, field, value)
  }
  // A confirmation for one server does not apply to another.
  if (update.image || update.url || update.folder) {
    if (update.accept_network === undefined) delete next.accept_network
    if (update.accept_mounts === undefined) delete next.accept_mounts
  }
  const sources = ['image', 'url', 'folder'] as const
  const named = sources.filter((source) => update[source])
  if (named.length > 0) for (const source of sources) if (!named.includes(source)) delete next[source]
  return next
}

/** Unless the edit names another image, the original version of its registry entry still applies. */
async function targetAfter(
  deps: WorkloadsDeps,
  stored: StoredWorkload,
  asked: CreateRequest,
  { update, knownOnly }: Pick<TargetOptions, 'knownOnly'> & { update: UpdateRequest },
): Promise<Target> {
  const isSame = update.image === undefined && update.url === undefined && update.folder === undefined
  if (isSame && stored.entry)
    return targetOfEntry(deps.host, stored.entry.name ?? stored.config.name, stored.entry, asked)
  const urlOrigin = isSame && stored.publicOnly ? 'import' : 'request'
  return resolveTarget(deps, asked, { urlOrigin, knownOnly: knownOnly && !isSame })
}
