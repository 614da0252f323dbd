import type { RunConfig } from '@toolhaven/contract/run-config'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { ThvError, invalid, isThvError } from '@toolhaven/core/errors'
import type { DaemonClient } from '../connect/daemon-client.ts'
import { pageOfServer } from '../console/page-of-server.ts'
import type { Context } from '../context.ts'
import { orUnknownGroup } from '../lifecycle/or-unknown.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { WorkloadFailed, waitForOutcome } from '../output/wait-for-outcome.ts'
import { withServerMeant } from '../registry/with-server-meant.ts'
import { createRequestOf } from './create-request.ts'
import { readJsonObject } from './read-json-object.ts'
import { DEFAULT_LOGIN_SECONDS } from './remote-auth-flags.ts'
import type { RunFlags } from './run-flags.ts'
import { clientFileHint } from './client-file-hint.ts'
import { notAServer, serverHint } from './server-hint.ts'
import { type LoginWaitOptions, waitForLogin } from './wait-for-login.ts'
import { homeDirOf } from '../home-dir.ts'

/** Creates the workload, waits until it runs, and prints its name and address. Removes a workload that never worked. */
export async function startWorkload(context: Context, args: readonly string[], flags: RunFlags): Promise<void> {
  const { out, signal } = context
  const { send, sharesNetwork, login } = await prepare(context, args, flags)
  const client = await context.daemon()
  try {
    const { name } = await orUnknownGroup(client, flags.group, signal, () => send(client))
    try {
      if (flags.name === undefined) await noteSecond(context, client, name)
      if (sharesNetwork) out.note(printable(hostWarning(name)))
      if (!flags.noWait) await untilRunning(context, client, { name, keep: flags.keep, ...login })
    } catch (error) {
      if (signal.aborted) out.note(`${name} is still starting; "thv rm ${name}" removes it.`)
      throw error
    }
    const workload = await client.call('getWorkload', { params: { name } }, signal)
    if (flags.format === 'json') return out.json(workload)
    out.line(`${name} is ${workload.status} at ${workload.url}`)
    if (workload.status === 'running') noteRemarks(out, workload)
    if (workload.status_context.startsWith(CHANGED_TOOLS)) {
      const page = await pageOfServer(context, client, name, { place: '/tools' })
      if (page !== undefined) out.note(page)
    }
    await noteDamagedFiles(context, client, workload.group ?? 'default')
  } catch (error) {
    if (flags.folder !== undefined) throw error
    throw withHint(await withServerMeant(client, args[0], error, signal), serverHint(args))
  }
}

function withHint(error: unknown, hint: string | undefined): unknown {
  if (hint === undefined || !isThvError(error)) return error
  return new ThvError(error.code, `${error.message}\n${hint}`, { cause: error })
}

/** A person who runs the same server again may not know that it runs already. */
async function noteSecond({ out, signal }: Context, client: DaemonClient, name: string): Promise<void> {
  const [, first] = /^(.+)-\d+$/.exec(name) ?? []
  if (first === undefined) return
  const { workloads } = await client.call('listWorkloads', { query: { all: true } }, signal)
  const [earlier, own] = [first, name].map((each) => workloads.find((workload) => workload.name === each))
  if (earlier === undefined || earlier.package !== own?.package) return
  out.note(
    `There is already a workload ${first} of the same server (${stateOf(earlier)}), so this one is called ${name}.`,
  )
}

function stateOf({ name, status }: { name: string; status: string }): string {
  if (status === 'stopped') return `"thv restart ${name}" starts it`
  return status === 'error' || status === 'unhealthy'
    ? `it does not work: "thv logs ${name}" shows why`
    : `it is ${status}`
}

/** A client with a damaged file does not see the workload and reports no error, so this command warns. */
async function noteDamagedFiles({ out, signal }: Context, client: DaemonClient, group: string): Promise<void> {
  const clients = await client.call('listClients', {}, signal)
  const served = clients.filter(({ groups }) => groups.includes(group)).map(({ name }) => name)
  if (served.length === 0) return
  const { fileProblems, problemNotes } = await import('../commands/client/file-problems.ts')
  for (const note of problemNotes(await fileProblems(client, served, signal))) out.note(note)
}

/** As the daemon begins it. */
const CHANGED_TOOLS = 'the tools of '

const hostWarning = (name: string) =>
  `Warning: ${name} shares the network of this machine. It can call every service on it, Toolhaven's API included, and what it listens on is not behind the gateway.`

/** The status reports a missing signature only if the registry entry promises one. */
function noteRemarks(out: Context['out'], { status_context: context, started_image: image }: WorkloadDetails): void {
  if (context !== '') out.note(printable(context))
  if (image?.verification === 'no-provenance' && image.detail !== undefined)
    out.note(printable(`${image.detail}, so Toolhaven cannot check who made the image`))
}

interface Start {
  send: (client: DaemonClient) => Promise<{ name: string }>
  sharesNetwork: boolean
  login: Omit<LoginWaitOptions, 'name'>
}

/** Handles Ctrl-C only after the daemon has answered, which takes a moment. By then the name of the starting workload is known. */
const UNTIL_ANSWERED = new AbortController().signal

/** Finds every mistake in the command itself before the daemon is asked or started. */
async function prepare(context: Context, args: readonly string[], flags: RunFlags): Promise<Start> {
  const { cwd, env, out } = context
  if (flags.fromConfig !== undefined) {
    const body = await importOf(cwd, args, flags, flags.fromConfig)
    const query = {
      ...(flags.acceptNetwork && { accept_network: true }),
      ...(flags.acceptMounts && { accept_mounts: true }),
      ...(flags.acceptSecrets && { accept_secrets: true }),
    }
    const mayMove = flags.name !== undefined && flags.proxyPort === undefined
    const send: Start['send'] = async (client) => {
      try {
        return await client.call('importWorkload', { body, query }, UNTIL_ANSWERED)
      } catch (error) {
        const { port, ...rest } = body
        if (!mayMove || !isThvError(error, 'conflict') || !error.message.startsWith(`proxy_port ${port} `)) throw error
        out.note(`Port ${port} from the file is in use, so ${flags.name} gets a different one.`)
        return client.call('importWorkload', { body: rest, query }, UNTIL_ANSWERED)
      }
    }
    return { send, sharesNetwork: body.network_mode === 'host', login: loginOf(flags, body) }
  }
  if (flags.acceptSecrets)
    throw invalid('--accept-secrets is for --from-config; other servers get the secrets that --secret names')
  if (!args[0] && flags.folder === undefined)
    throw invalid('no server given\nName a server, or pass --folder or --from-config. "thv search WORD" finds servers.')
  const instead = flags.folder === undefined ? notAServer(args[0] ?? '') : undefined
  if (instead !== undefined) throw invalid(`${args[0]} is not the name of a server\n${instead}`)
  const body = await createRequestOf({ cwd, env, homeDir: homeDirOf(env) }, args, flags)
  const send: Start['send'] = async (client) => {
    const [{ askForMissing, askForSecond, createWithAnswers }, { withSecretStore }] = await Promise.all([
      import('./ask-for-missing.ts'),
      import('../commands/secret/with-secret-store.ts'),
    ])
    if (flags.name === undefined && !body.folder && !body.server_json)
      await askForSecond(context, client, args[0] ?? '')
    const answers = await askForMissing(context, client, body)
    return createWithAnswers(context, client, answers, (complete) =>
      withSecretStore({ ...context, yes: false }, client, complete, () =>
        client.call('createWorkload', { body: complete, query: { known_only: true } }, UNTIL_ANSWERED),
      ),
    )
  }
  return { send, sharesNetwork: body.network_mode === 'host', login: loginOf(flags) }
}

/** A file may set the login timeout, which a flag overrides, and may disable opening a browser. */
export function loginOf(
  { remoteAuthTimeout, remoteAuthBrowser }: Pick<RunFlags, 'remoteAuthTimeout' | 'remoteAuthBrowser'>,
  config: Partial<Pick<RunConfig, 'remote_auth_config'>> = {},
): Start['login'] {
  const { timeout, skipBrowser } = Object(config.remote_auth_config)
  const ofFile = remoteAuthTimeout === DEFAULT_LOGIN_SECONDS ? durationMs(timeout) : undefined
  return {
    timeoutMs: ofFile ?? remoteAuthTimeout * 1000,
    openBrowser: remoteAuthBrowser && skipBrowser !== true,
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Converts `1h30m` to milliseconds; undefined for an invalid duration, which the daemon refuses. */
function durationMs(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined
  const parts = [...text.matchAll(/([0-9.]+)(ms|s|m|h)/g)]
  const total = parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * (UNIT_MS[unit] ?? 0), 0)
  // The longest timer that Node supports.
  return total > 0 ? Math.min(total, 2 ** 31 - 1) : undefined
}

const BESIDE_CONFIG = new Set([
  ...['fromConfig', 'name', 'group', 'proxyPort', 'noWait', 'keep', 'format'],
  ...['remoteAuthTimeout', 'remoteAuthBrowser', 'acceptNetwork', 'acceptMounts', 'acceptSecrets'],
])

const BY_HAND =
  'It has no schema_version. "thv export NAME FILE" writes such a file; one that you write yourself is for "thv apply".'

/** Name, group and port may differ from the file, so that the same file can run twice. */
async function importOf(cwd: string, args: readonly string[], flags: RunFlags, file: string): Promise<RunConfig> {
  const isGiven = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false)
  const others = Object.entries(flags).filter(([name, value]) => !BESIDE_CONFIG.has(name) && isGiven(value))
  if (args.length > 0 || others.length > 0) {
    throw invalid(
      '--from-config takes everything from the file. It can be combined only with --name, --group and --proxy-port.',
    )
  }
  const { name, group, proxyPort: port } = flags
  const config = await readJsonObject(cwd, '--from-config', file)
  const hint = clientFileHint(config) ?? ('schema_version' in config ? undefined : BY_HAND)
  if (hint !== undefined) throw invalid(`--from-config ${file} is not a run configuration\n${hint}`)
  const changes = {
    ...(name !== undefined && { name }),
    ...(group !== undefined && { group }),
    ...(port !== undefined && { port }),
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the daemon checks it and names what is wrong
  return { ...config, ...changes } as RunConfig
}

async function untilRunning(
  context: Context,
  client: DaemonClient,
  { keep, ...options }: LoginWaitOptions & { keep: boolean },
): Promise<void> {
  const { name } = options
  using login = waitForLogin(context, options)
  const signal = AbortSignal.any([context.signal, login.signal])
  try {
    await waitForOutcome({ out: context.out, signal, isPassing: login.tell }, client, [name], 'run')
  } catch (error) {
    login.signal.throwIfAborted()
    if (error instanceof WorkloadFailed && !context.signal.aborted) {
      const { failedStart } = await import('./failed-start.ts')
      throw await failedStart(context, client, name, { error, keep })
    }
    throw error
  }
}
