import type { ForeignServerList } from '@toolhaven/contract/adopt'
import type { DoctorCheck } from '@toolhaven/contract/doctor'
import type { RuntimeReport } from '@toolhaven/contract/runtime-report'
import type { Workload } from '@toolhaven/contract/workloads'
import { describeError, isThvError } from '@toolhaven/core/errors'
import { SECRET_PREFIX, secretVariable, variableAdvice } from '@toolhaven/core/secrets/secret-variable'
import type { DaemonClient } from '../connect/daemon-client.ts'
import { pathsOf } from '../connect/find-daemon.ts'
import type { Context } from '../context.ts'
import { VERSION } from '../version.ts'
import { checkFiles } from './check-files.ts'
import { isListening } from './is-listening.ts'

/** Checks everything that all workloads depend on. */
export async function checkMachine(
  { env, signal }: Pick<Context, 'env' | 'signal'>,
  client: DaemonClient,
  workloads: readonly Workload[],
): Promise<{ checks: DoctorCheck[]; runtime: RuntimeReport }> {
  const [{ version }, runtime, servers, secrets, ports] = await Promise.all([
    client.call('getVersion', {}, signal),
    client.call('getRuntime', {}, signal),
    client.call('discoverServers', {}, signal),
    secretsCheck(client, workloads, signal),
    portsCheck(workloads),
  ])
  // The files of another machine cannot be checked from here.
  const files = env['THV_HOST'] ? [] : await checkFiles(pathsOf(env), process.getuid?.() ?? 0)
  const checks = [
    versionCheck(VERSION, version),
    ...apiPortChecks(runtime),
    ...runtimeChecks(runtime),
    ...files,
    secrets,
    ports,
    ...clientChecks(servers),
  ]
  return { checks, runtime }
}

export function versionCheck(own: string, daemon: string): DoctorCheck {
  if (own === daemon) return { check: 'versions', status: 'ok', found: `thv and daemon are ${own}` }
  return {
    check: 'versions',
    status: 'failed',
    found: `thv is ${own}, the daemon is ${daemon}`,
    fix: 'thv serve (takes over from the old daemon)',
  }
}

function apiPortChecks({ api_port_problem: problem }: RuntimeReport): DoctorCheck[] {
  if (problem === undefined) return []
  return [
    {
      check: 'api-port',
      status: 'warning',
      found: `${problem}, so programs and the console cannot reach the API there; "thv" itself works`,
      fix: 'end that program, or choose another port: thv config set-port PORT, then thv serve --stop and any command',
    },
  ]
}

export function runtimeChecks({ name, state, version, sandbox, reason, notes }: RuntimeReport): DoctorCheck[] {
  if (state !== 'healthy')
    return [
      {
        check: 'runtime',
        status: 'failed',
        found: `${name} is ${state}: ${reason ?? 'no reason given'}`,
        fix: 'thv runtime check',
      },
    ]
  const main: DoctorCheck = {
    check: 'runtime',
    status: 'ok',
    found: `${name} ${version ?? ''} (${sandbox ?? 'sandbox unknown'})`,
  }
  return [
    main,
    // Each note says what to do.
    ...notes.map((note): DoctorCheck => ({ check: 'runtime', status: 'warning', found: note })),
  ]
}

export function clientChecks({ servers, faults }: Pick<ForeignServerList, 'servers' | 'faults'>): DoctorCheck[] {
  const broken = faults.map(({ client_type: client, reason }): DoctorCheck => ({
    check: 'clients',
    status: 'failed',
    found: `${client}: ${reason}`,
    fix: 'correct the file; Toolhaven leaves it alone until then',
  }))
  const exposed = servers.filter(
    ({ becomes, env_vars: variables, headers }) => becomes && [...variables, ...headers].some(({ secret }) => secret),
  )
  if (exposed.length > 0) {
    const names = exposed.map(({ name }) => name).join(', ')
    broken.push({
      check: 'clients',
      status: 'warning',
      found: `keys lie open in the files of clients, and their servers run unconfined: ${names}`,
      fix: 'thv adopt',
    })
  }
  return broken.length > 0
    ? broken
    : [{ check: 'clients', status: 'ok', found: 'their files can be read, and no key lies open in them' }]
}

async function secretsCheck(
  client: DaemonClient,
  workloads: readonly Workload[],
  signal: AbortSignal,
): Promise<DoctorCheck> {
  const check = 'secrets'
  const needed = await secretsNeeded(client, workloads, signal)
  try {
    const { provider_type: type } = await client.call('getSecretsProvider', {}, signal)
    if (type === 'none') return { check, status: 'info', found: 'secrets are switched off' }
    const { keys } = await client.call('listSecrets', {}, signal)
    const there = new Set(keys.map(({ key }) => key))
    const isThere = (key: string) =>
      there.has(key) || (type === 'environment' && there.has(secretVariable(key).slice(SECRET_PREFIX.length)))
    const missing = [...needed].filter(([key]) => !isThere(key))
    if (missing.length === 0) return { check, status: 'ok', found: `${type}, ${keys.length} stored` }
    const [first] = missing
    return {
      check,
      status: 'failed',
      found: `missing: ${missing.map(([key, name]) => `${key} (for ${name})`).join(', ')}`,
      fix:
        type === 'environment'
          ? variableAdvice(
              'set',
              missing.map(([key]) => key),
            )
          : `thv secret set ${first?.[0]}`,
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!isThvError(error, 'not-found'))
      return {
        check,
        status: 'failed',
        found: `the secret store cannot be opened: ${describeError(error)}`,
        fix: 'thv secret setup',
      }
    if (needed.size > 0)
      return {
        check,
        status: 'failed',
        found: 'workloads need secrets and no provider is set up',
        fix: 'thv secret setup',
      }
    return {
      check,
      status: 'info',
      found: 'no secrets provider is set up; "thv secret setup" does it when you need one',
    }
  }
}

async function secretsNeeded(
  client: DaemonClient,
  workloads: readonly Workload[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const needed = new Map<string, string>()
  for (const { name } of workloads) {
    const { secrets = [] } = await client.call('getWorkload', { params: { name } }, signal)
    for (const { name: key } of secrets) needed.set(key, name)
  }
  return needed
}

async function portsCheck(workloads: readonly Workload[]): Promise<DoctorCheck> {
  const running = workloads.filter(({ status }) => status === 'running')
  const silent: Workload[] = []
  for (const workload of running) if (!(await isListening(workload.url))) silent.push(workload)
  const [first] = silent
  if (first === undefined)
    return { check: 'ports', status: 'ok', found: `${running.length} of ${running.length} answer` }
  const list = silent.map(({ name, port }) => `${port} (${name})`).join(', ')
  return { check: 'ports', status: 'failed', found: `nobody answers at ${list}`, fix: `thv restart ${first.name}` }
}
