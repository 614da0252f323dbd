import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, promisify } from 'node:util'
import type { ImageServer } from '@toolhaven/contract/registry-document'
import { parsePackageReference, type PackageReference } from '@toolhaven/core/workloads/package-reference'
import { builtInRegistry } from '@toolhaven/stores/registry/built-in/built-in-registry'
import * as z from 'zod'

/**
 * Starts the servers of the built-in registry that npm or PyPI supplies and compares the tools each one lists with
 * the recorded ones.
 *
 *   node tools/probe-registry.ts                  every entry
 *   node tools/probe-registry.ts --only fetch     one entry; may be repeated
 *   node tools/probe-registry.ts --shard 3/10     every tenth entry, beginning with the third
 */

const run = promisify(execFile)
const INSTALL_LIMIT_MS = 600_000
const ANSWER_LIMIT_MS = 90_000
const AT_ONCE = 2

/** Required variables whose value a server checks before it lists tools; any other gets a plain word. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  ES_URL: 'http://127.0.0.1:9',
  MAPBOX_ACCESS_TOKEN: 'pk.eyJ1IjoicHJvYmUifQ.probe',
  MDB_MCP_CONNECTION_STRING: 'mongodb://127.0.0.1:9/probe',
  NEO4J_URI: 'bolt://127.0.0.1:9',
  SEARXNG_URL: 'http://127.0.0.1:9',
}

interface Entry {
  key: string
  server: ImageServer
  reference: PackageReference
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, shard: { type: 'string' } } })
  const queue = select(entries(), values.only, values.shard)
  const folder = await mkdtemp(join(tmpdir(), 'thv-probe-'))
  const interrupt = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort())
  let failures = 0
  const worker = async (): Promise<void> => {
    for (let entry = queue.shift(); entry !== undefined && !interrupt.signal.aborted; entry = queue.shift()) {
      const fault = await probe(entry, folder, interrupt.signal).catch((error: unknown) => reason(error))
      failures += fault === undefined ? 0 : 1
      const text =
        fault === undefined ? `ok    ${entry.key}: ${entry.server.tools.length} tools` : `FAIL  ${entry.key}: ${fault}`
      process.stdout.write(`${text}\n`)
    }
  }
  try {
    if (queue.some(({ reference }) => reference.scheme === 'uvx')) await installUv(folder, interrupt.signal)
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  process.exitCode = failures === 0 ? 0 : 1
}

function entries(): Entry[] {
  return Object.entries(builtInRegistry.servers).flatMap(([key, server]) => {
    const reference = parsePackageReference(server.image)
    return reference === undefined || reference.scheme === 'go' ? [] : [{ key, server, reference }]
  })
}

function select(all: Entry[], only: string[] | undefined, shard: string | undefined): Entry[] {
  const unknown = only?.filter((key) => !all.some((entry) => entry.key === key)) ?? []
  if (unknown.length > 0) throw new Error(`The registry has no npm or PyPI entry named ${unknown.join(', ')}.`)
  const named = only === undefined ? all : all.filter((entry) => only.includes(entry.key))
  if (shard === undefined) return named
  const [index = 0, count = 0] = shard.split('/').map(Number)
  if (!Number.isInteger(index) || !Number.isInteger(count) || index < 1 || index > count) {
    throw new Error(`--shard ${shard} is not I/N with 1 <= I <= N.`)
  }
  return named.filter((_, position) => position % count === index - 1)
}

/** Undefined when the running server lists exactly the recorded tools, else what differs. */
async function probe(entry: Entry, folder: string, signal: AbortSignal): Promise<string | undefined> {
  const home = join(folder, entry.key)
  await mkdir(home)
  try {
    const command =
      entry.reference.scheme === 'npx'
        ? await installNpm(entry.reference, home, signal)
        : await installPyPi(entry.reference, home, join(folder, 'uv', 'bin', 'uv'), signal)
    const listed = await listTools(command, entry.server, home, signal)
    const missing = entry.server.tools.filter((tool) => !listed.includes(tool))
    const extra = listed.filter((tool) => !entry.server.tools.includes(tool))
    if (missing.length === 0 && extra.length === 0) return undefined
    return `recorded but not listed: [${missing.join(', ')}]; listed but not recorded: [${extra.join(', ')}]`
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

const manifest = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) })

async function installNpm(reference: PackageReference, home: string, signal: AbortSignal): Promise<string> {
  const { name, version = 'latest' } = reference
  await writeFile(join(home, 'package.json'), '{}')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', '--loglevel=error']
  await run('npm', ['install', ...flags, `${name}@${version}`], { cwd: home, timeout: INSTALL_LIMIT_MS, signal })
  const { bin } = manifest.parse(JSON.parse(await readFile(join(home, 'node_modules', name, 'package.json'), 'utf8')))
  const own = name.slice(name.indexOf('/') + 1)
  const names = typeof bin === 'string' ? [own] : Object.keys(bin)
  return join(home, 'node_modules', '.bin', pick(names, own))
}

const scripts = z.array(z.string())

async function installPyPi(
  reference: PackageReference,
  home: string,
  uv: string,
  signal: AbortSignal,
): Promise<string> {
  const { name, version } = reference
  const bin = join(home, 'venv', 'bin')
  const options = { timeout: INSTALL_LIMIT_MS, signal, env: { ...process.env, UV_CACHE_DIR: join(home, 'cache') } }
  const requirement = version === undefined ? name : `${name}==${version}`
  await run(uv, ['venv', '--quiet', join(home, 'venv')], options)
  await run(uv, ['pip', 'install', '--quiet', '--python', join(bin, 'python'), requirement], options)
  const question =
    'import importlib.metadata as m, json, sys; ' +
    'print(json.dumps([e.name for e in m.distribution(sys.argv[1]).entry_points if e.group == "console_scripts"]))'
  const { stdout } = await run(join(bin, 'python'), ['-c', question, name])
  return join(bin, pick(scripts.parse(JSON.parse(stdout)), name))
}

async function installUv(folder: string, signal: AbortSignal): Promise<void> {
  await run('python3', ['-m', 'venv', join(folder, 'uv')], { timeout: INSTALL_LIMIT_MS, signal })
  await run(join(folder, 'uv', 'bin', 'pip'), ['install', '--quiet', 'uv'], { timeout: INSTALL_LIMIT_MS, signal })
}

/** npx and uvx start the command named like the package, else the only one there is. */
function pick(names: string[], own: string): string {
  const [only] = names
  if (names.includes(own)) return own
  if (only === undefined || names.length > 1)
    throw new Error(`none of its commands (${names.join(', ')}) is named ${own}`)
  return only
}

const reply = z.object({
  id: z.number(),
  // A message with a method is a request of the server's own, whose number may equal one of ours.
  method: z.never().optional(),
  error: z.object({ message: z.string() }).optional(),
  result: z
    .object({ tools: z.array(z.object({ name: z.string() })).optional(), nextCursor: z.string().optional() })
    .optional(),
})

async function listTools(command: string, server: ImageServer, home: string, signal: AbortSignal): Promise<string[]> {
  // What an entry keeps in the /tmp of its sandbox goes to the folder of this probe.
  const here = (text: string) => text.replaceAll(/\/tmp(?=\/|$)/g, home)
  const given = Object.entries(placeholders(server)).map(([name, value]) => [name, here(value)])
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)
  const env = { ...Object.fromEntries(given), PATH: path, HOME: home, LANG: 'C.UTF-8' }
  const args = (server.args ?? []).map(here)
  const child = spawn(command, args, { cwd: home, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => (complaint = `${complaint}${String(chunk)}`.slice(-500)))
  // A server that ends early is reported by the end of its output.
  child.stdin.on('error', () => undefined)
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  const late = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)])
  const giveUp = () => stop(child.pid)
  late.addEventListener('abort', giveUp)
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  try {
    const tools = await Promise.race([converse(createInterface({ input: child.stdout }), send), failed])
    if (tools === undefined)
      throw new Error(`${late.aborted ? 'gave no tool list in time' : 'ended'}: ${complaint.trim()}`)
    return tools
  } finally {
    // Its number may belong to another process by the time the limit passes.
    late.removeEventListener('abort', giveUp)
    stop(child.pid)
  }
}

/** Undefined when the server's output ends before its tool list does. */
async function converse(lines: AsyncIterable<string>, send: (message: object) => void): Promise<string[] | undefined> {
  const clientInfo = { name: 'toolhaven-probe', version: '0.1.0' }
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  const tools: string[] = []
  for await (const line of lines) {
    const message = reply.safeParse(fromJson(line)).data
    // Notifications, requests of the server's own and stray text on its output.
    if (message === undefined) continue
    if (message.error !== undefined) throw new Error(`answered with an error: ${message.error.message}`)
    if (message.id === 1) send({ method: 'notifications/initialized' })
    tools.push(...(message.result?.tools ?? []).map((tool) => tool.name))
    const cursor = message.result?.nextCursor
    if (message.id > 1 && cursor === undefined) return tools
    send({ id: message.id + 1, method: 'tools/list', params: cursor === undefined ? {} : { cursor } })
  }
  return undefined
}

function placeholders(server: ImageServer): Record<string, string> {
  const given = (server.env_vars ?? []).filter((variable) => variable.required || variable.default !== undefined)
  return Object.fromEntries(
    given.map(({ name, default: value }) => [name, value ?? PLACEHOLDERS[name] ?? 'placeholder']),
  )
}

/** The whole group: many commands are launchers of the real server. */
function stop(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

await main()
