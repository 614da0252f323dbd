import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError, invalid, isThvError } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import * as z from 'zod'
import { ensurePrivateFolder } from '../files/private-folder.ts'
import { newerFormat, readRecordFile, writeRecordFile, type RecordFormat } from '../files/record-file.ts'
import type { Keyring } from './keyring.ts'

export const PASSWORD_VARIABLE = 'THV_SECRETS_PASSWORD'

export interface PasswordSources {
  dataDir: string
  env: Readonly<Record<string, string | undefined>>
  keyring: Keyring
  logger: Logger
}

/** A password and where it came from. If the user gave one or set the variable, no other is tried. */
export interface FoundPassword {
  password: string
  source: 'request' | 'variable' | 'keyring' | 'key-file'
}

/** The passwords that may open an existing store, in the order to try them. Found one at a time, because each may be slow. */
export async function* candidatePasswords(
  sources: PasswordSources,
  storeId: string,
  given: string | undefined,
): AsyncGenerator<FoundPassword> {
  const explicit = explicitPassword(sources, given)
  if (explicit !== undefined) {
    yield explicit
    return
  }
  const kept = await withKeyring(sources, (keyring) => keyring.get(storeId))
  if (kept !== undefined) yield { password: kept, source: 'keyring' }
  const key = await readKeyFile(sources.dataDir)
  if (key !== undefined) yield { password: key, source: 'key-file' }
}

/** The password for a new store. A random password is stored before it is used, so that it cannot be lost. */
export async function passwordForNewStore(
  sources: PasswordSources,
  storeId: string,
  given: string | undefined,
): Promise<FoundPassword> {
  const explicit = explicitPassword(sources, given)
  if (explicit !== undefined) return explicit
  const random = randomBytes(32).toString('base64url')
  if (await keepInKeyring(sources, storeId, random)) return { password: random, source: 'keyring' }
  const existing = await readKeyFile(sources.dataDir)
  if (existing !== undefined) return { password: existing, source: 'key-file' }
  await ensurePrivateFolder(sources.dataDir)
  await writeRecordFile(keyPath(sources.dataDir), { key: random }, keyFile)
  return { password: random, source: 'key-file' }
}

/** Stores the password in the keyring; true if it could be read back. */
export async function keepInKeyring(sources: PasswordSources, storeId: string, password: string): Promise<boolean> {
  const back = await withKeyring(sources, async (keyring) => {
    await keyring.set(storeId, password)
    return keyring.get(storeId)
  })
  return back === password
}

/** The random key is useless after the password was changed. */
export async function removeKeyFile(dataDir: string): Promise<void> {
  await rm(keyPath(dataDir), { force: true })
}

/** Tells the user where the password is, and so what the next start needs. */
export function describeSource(source: FoundPassword['source'], remembered: boolean): string {
  switch (source) {
    case 'request':
      return remembered
        ? 'The password you gave is kept in the keyring of this system.'
        : `The password you gave is kept in memory only: set ${PASSWORD_VARIABLE} for the next start of the daemon.`
    case 'variable':
      return `The password was taken from ${PASSWORD_VARIABLE}, which must be set at each start of the daemon.`
    case 'keyring':
      return 'The password is kept in the keyring of this system.'
    case 'key-file':
      return 'The password is a random key in a file that only you can read (secrets.key, beside the store): there is no keyring.'
  }
}

export function unknownPassword() {
  return invalid(
    `the daemon does not know the password of the secret store: give it, or set ${PASSWORD_VARIABLE} and start the daemon again`,
  )
}

function explicitPassword(sources: PasswordSources, given: string | undefined): FoundPassword | undefined {
  if (given !== undefined && given !== '') return { password: given, source: 'request' }
  const variable = sources.env[PASSWORD_VARIABLE]
  if (variable !== undefined && variable !== '') return { password: variable, source: 'variable' }
  return undefined
}

const keyFile: RecordFormat<{ key: string }> = {
  schema: z.strictObject({ key: z.string().min(32) }),
  format: 1,
  migrations: {},
}

function keyPath(dataDir: string): string {
  return join(dataDir, 'secrets.key')
}

async function readKeyFile(dataDir: string): Promise<string | undefined> {
  const reading = await readRecordFile(keyPath(dataDir), keyFile)
  if (reading.state === 'good') return reading.record.key
  if (reading.state === 'newer') throw newerFormat(keyPath(dataDir), reading.format)
  if (reading.state === 'corrupt')
    throw invalid(`${keyPath(dataDir)} is damaged: restore it from a backup, or move it away`)
  return undefined
}

/** Many machines have no keyring, so this is not an error. The caller has another place. */
async function withKeyring(
  sources: PasswordSources,
  use: (keyring: Keyring) => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await use(sources.keyring)
  } catch (error) {
    if (!isThvError(error, 'unavailable')) throw error
    sources.logger.debug('the keyring was not used', { why: describeError(error) })
    return undefined
  }
}
