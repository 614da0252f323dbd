import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { invalid } from '@toolhaven/core/errors'

export interface RegistryCredentials {
  username: string
  password: string
  identitytoken?: string
  serveraddress: string
}

const configSchema = z.looseObject({
  auths: z
    .record(z.string(), z.looseObject({ auth: z.string().optional(), identitytoken: z.string().optional() }))
    .optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
  credsStore: z.string().optional(),
})
const helperSchema = z.object({ Username: z.string(), Secret: z.string() })

/** Docker Hub is stored under the address of its first API. */
const HUB_KEY = 'https://index.docker.io/v1/'
const HELPER_NAME = /^[A-Za-z0-9_.-]+$/

/**
 * The credentials that `docker login` stored for this registry: from the helper program first, as Docker does, then
 * from the file.
 */
export async function registryCredentials(
  configFolder: string,
  registry: string,
  signal: AbortSignal,
): Promise<RegistryCredentials | undefined> {
  const config = await readConfig(join(configFolder, 'config.json'))
  if (config === undefined) return undefined
  const keys =
    registry === 'docker.io'
      ? [HUB_KEY, 'docker.io', 'index.docker.io']
      : [registry, `https://${registry}`, `http://${registry}`]
  const helper = keys.map((key) => config.credHelpers?.[key]).find((name) => name !== undefined) ?? config.credsStore
  if (helper !== undefined && helper !== '') {
    for (const key of keys) {
      const found = await askHelper(helper, key, signal)
      if (found !== undefined) return found
    }
  }
  const entry = keys.map((key) => ({ key, auth: config.auths?.[key] })).find(({ auth }) => auth?.auth !== undefined)
  if (entry?.auth?.auth === undefined) return undefined
  const [username = '', ...password] = Buffer.from(entry.auth.auth, 'base64').toString().split(':')
  const { identitytoken } = entry.auth
  return {
    username,
    password: password.join(':').replaceAll('\0', ''),
    ...(identitytoken === undefined ? {} : { identitytoken }),
    serveraddress: entry.key,
  }
}

async function readConfig(path: string): Promise<z.infer<typeof configSchema> | undefined> {
  const content = await readFile(path, 'utf8').catch(() => undefined)
  if (content === undefined) return undefined
  try {
    return configSchema.parse(JSON.parse(content))
  } catch (cause) {
    throw invalid(`${path} is not a Docker configuration file. Repair or remove it.`, cause)
  }
}

async function askHelper(name: string, key: string, signal: AbortSignal): Promise<RegistryCredentials | undefined> {
  if (!HELPER_NAME.test(name))
    throw invalid(
      `The Docker configuration names a credential helper ${JSON.stringify(name)}, which is not a program name.`,
    )
  const program = `docker-credential-${name}`
  const child = spawn(program, ['get'], { stdio: ['pipe', 'pipe', 'ignore'], signal })
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  // The exit code shows whether a helper ended without reading its input.
  child.stdin.on('error', () => {})
  child.stdin.end(key)
  try {
    const [output, code] = await Promise.race([Promise.all([text(child.stdout), exited]), failed])
    if (code !== 0) return undefined
    const { Username, Secret } = helperSchema.parse(JSON.parse(output))
    const isToken = Username === '<token>'
    return {
      username: isToken ? '' : Username,
      password: isToken ? '' : Secret,
      ...(isToken ? { identitytoken: Secret } : {}),
      serveraddress: key,
    }
  } catch (cause) {
    signal.throwIfAborted()
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    // Without a cause or its text: what the helper printed may contain the secret.
    throw invalid(
      `The Docker credential helper ${program} ${missing ? 'is not installed' : 'gave no usable answer'}. Install it or change the Docker configuration.`,
    )
  }
}
