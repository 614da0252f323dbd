import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
  type ScryptOptions,
} from 'node:crypto'
import { invalid } from '@toolhaven/core/errors'
import * as z from 'zod'

export const FORMAT = 1

/** scrypt's cost, the salt, and everything else that is needed before the password. GCM binds it to the content as associated data. */
const sealedHeader = z.strictObject({
  format: z.literal(FORMAT),
  /** The store's name in the keyring, which stays the same if the file is moved. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  kdf: z.strictObject({
    name: z.literal('scrypt'),
    // Limits the memory that a file can make scrypt use to 1 GiB.
    N: z
      .int()
      .min(2 ** 10)
      .max(2 ** 20)
      .refine((cost) => Number.isInteger(Math.log2(cost))),
    r: z.literal(8),
    p: z.int().min(1).max(4),
    salt: z.base64().length(44),
  }),
  cipher: z.literal('aes-256-gcm'),
  /** Proves the password without the content, so that a wrong password and a damaged file give different errors. */
  verifier: z.base64().length(44),
})
export type SealedHeader = z.infer<typeof sealedHeader>

const sealedFile = z.strictObject({
  header: sealedHeader,
  nonce: z.base64().length(16),
  tag: z.base64().length(24),
  ciphertext: z.base64(),
})
export type SealedFile = z.infer<typeof sealedFile>

/** Pairs instead of an object, because any text may be a key, even `__proto__`. */
const content = z.array(z.tuple([z.string(), z.string()]))

/** A derived key and the header it belongs to. */
export interface SealingKey {
  header: SealedHeader
  key: Buffer
}

export const SCRYPT_COST = 2 ** 17

/** A new key for a password, with a fresh salt and the verifier that proves the password later. */
export async function makeSealingKey(password: string, id: string, cost: number): Promise<SealingKey> {
  const kdf = { name: 'scrypt', N: cost, r: 8, p: 1, salt: randomBytes(32).toString('base64') } as const
  const { key, verifier } = await derive(password, kdf)
  return { key, header: { format: FORMAT, id, kdf, cipher: 'aes-256-gcm', verifier: verifier.toString('base64') } }
}

/** The key of an existing file; undefined if the password is wrong. */
export async function proveSealingKey(password: string, header: SealedHeader): Promise<SealingKey | undefined> {
  const { key, verifier } = await derive(password, header.kdf)
  return timingSafeEqual(verifier, Buffer.from(header.verifier, 'base64')) ? { header, key } : undefined
}

export function seal(entries: ReadonlyMap<string, string>, { header, key }: SealingKey): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associatedData(header))
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify([...entries]), 'utf8'), cipher.final()])
  const file: SealedFile = {
    header,
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    ciphertext: ciphertext.toString('base64'),
  }
  return `${JSON.stringify(file)}\n`
}

export function unseal(file: SealedFile, { key }: SealingKey): Map<string, string> {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(file.nonce, 'base64'))
      .setAAD(associatedData(file.header))
      .setAuthTag(Buffer.from(file.tag, 'base64'))
    const text = Buffer.concat([decipher.update(Buffer.from(file.ciphertext, 'base64')), decipher.final()])
    return new Map(content.parse(JSON.parse(text.toString('utf8'))))
  } catch {
    // The cipher's and the parser's messages do not help here, and the parser's could quote a secret.
    throw damaged()
  }
}

/** Reads the outer format without opening the content. */
export function parseSealedFile(text: string): SealedFile {
  const outer = parseJson(text)
  const version = z.object({ header: z.object({ format: z.int() }) }).safeParse(outer)
  if (version.success && version.data.header.format > FORMAT) {
    throw invalid('the secret store was written by a newer version of Toolhaven: install that version to use it')
  }
  const parsed = sealedFile.safeParse(outer)
  if (!parsed.success) throw damaged()
  return parsed.data
}

function damaged() {
  return invalid(
    'the secret store is damaged or was altered, and is left as it is: restore its file from a backup, or move it away to begin a new one',
  )
}

function associatedData(header: SealedHeader): Buffer {
  const { format, id, kdf, cipher, verifier } = header
  return Buffer.from(JSON.stringify([format, id, kdf.name, kdf.N, kdf.r, kdf.p, kdf.salt, cipher, verifier]))
}

async function derive(password: string, kdf: SealedHeader['kdf']): Promise<{ key: Buffer; verifier: Buffer }> {
  const options = { N: kdf.N, r: kdf.r, p: kdf.p, maxmem: 256 * kdf.N * kdf.r }
  // The same password typed on two machines may come in two Unicode forms.
  const both = await scryptAsync(password.normalize('NFC'), Buffer.from(kdf.salt, 'base64'), options)
  const verifier = createHmac('sha256', both.subarray(32)).update('toolhaven secret store').digest()
  return { key: both.subarray(0, 32), verifier }
}

function scryptAsync(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 64, options, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
