import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { unavailable } from '@toolhaven/core/errors'
import * as z from 'zod'

/** The operating system's password store. Each call throws `unavailable` if none can be reached. */
export interface Keyring {
  get(account: string): Promise<string | undefined>
  set(account: string, password: string): Promise<void>
  /** Deletes the password, if there is one. */
  delete(account: string): Promise<void>
}

export interface KeyringOptions {
  env: Readonly<Record<string, string | undefined>>
  platform?: NodeJS.Platform
  timeoutMs?: number
}

const SERVICE = 'toolhaven'
const PASSED_ON = [
  'HOME',
  'USER',
  'LOGNAME',
  'PATH',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
]

/**
 * A keyring may wait for a person, or for a service that never answers, inside a native call that cannot be
 * cancelled. So each call runs in its own process, which is killed after a timeout. The password goes through a pipe,
 * never through arguments or the environment.
 */
export function createOsKeyring(options: KeyringOptions): Keyring {
  const { env, platform = process.platform } = options
  const call = async (request: Request): Promise<string | null> => {
    // Without a session bus there is no Secret Service. A call would start one, or wait.
    if (platform === 'linux' && !(await hasSessionBus(env)))
      throw unavailable('there is no keyring: no desktop session bus was found')
    return askChild(request, env, options.timeoutMs ?? 10_000)
  }
  return {
    async get(account) {
      return (await call({ service: SERVICE, account })) ?? undefined
    },
    async set(account, password) {
      await call({ service: SERVICE, account, password })
    },
    async delete(account) {
      await call({ service: SERVICE, account, forget: true })
    },
  }
}

interface Request {
  service: string
  account: string
  password?: string
  forget?: true
}

const reply = z.union([z.strictObject({ value: z.string().nullable() }), z.strictObject({ fault: z.string() })])

async function askChild(request: Request, env: KeyringOptions['env'], timeoutMs: number): Promise<string | null> {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', PROGRAM, import.meta.resolve('@napi-rs/keyring')],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    },
  )
  // A missing answer shows that the child could not start or ended early.
  child.on('error', () => {})
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(request))
  const answer = await text(child.stdout).catch(() => '')
  const parsed = reply.safeParse(answer === '' ? undefined : JSON.parse(answer))
  if (!parsed.success) throw unavailable(`the keyring did not answer within ${timeoutMs / 1000} seconds`)
  if ('fault' in parsed.data) throw unavailable(`the keyring cannot be used: ${parsed.data.fault}`)
  return parsed.data.value
}

/** Uses only the Secret Service. The library's other choice on Linux, the kernel's keyring, is lost at a reboot. */
const PROGRAM = `
import { text } from 'node:stream/consumers'
const { service, account, password, forget } = JSON.parse(await text(process.stdin))
let answer
try {
  const { Entry } = await import(process.argv[1])
  const entry = new Entry(service, account, { linux: { store: 'secret-service' } })
  if (password !== undefined) entry.setPassword(password)
  if (forget) entry.deletePassword()
  answer = { value: entry.getPassword() }
} catch (error) {
  answer = { fault: String(error.message).slice(0, 200) }
}
process.stdout.write(JSON.stringify(answer))
`

async function hasSessionBus(env: KeyringOptions['env']): Promise<boolean> {
  if ((env['DBUS_SESSION_BUS_ADDRESS'] ?? '') !== '') return true
  const runtimeDir = env['XDG_RUNTIME_DIR'] ?? ''
  if (runtimeDir === '') return false
  try {
    return (await stat(join(runtimeDir, 'bus'))).isSocket()
  } catch {
    return false // no such file: no bus
  }
}
