import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { z } from 'zod'

/** As long as a call is kept whose server waits for an answer. */
const GOOD_FOR_MS = 15 * 60_000
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

const sealed = z.object({ mark: z.string(), until: z.number(), state: z.string() })

/**
 * A server's state on its way through a caller. The server behind cannot tell callers apart, so the gateway makes sure
 * that no other caller uses the state, and no other request does. The key lives as long as this daemon.
 */
export class SealedStates {
  readonly #key = randomBytes(32)

  seal(state: string, mark: string, now: number): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce)
    const text = JSON.stringify({ mark, until: now + GOOD_FOR_MS, state })
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
  }

  /** The state as the server gave it. Undefined when it was changed, is too old, or was given to another caller. */
  open(text: string, mark: string, now: number): string | undefined {
    const found = this.#read(Buffer.from(text, 'base64url'))
    return found?.mark === mark && found.until > now ? found.state : undefined
  }

  #read(bytes: Buffer): z.infer<typeof sealed> | undefined {
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
    const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
      return sealed.parse(JSON.parse(text.toString('utf8')))
    } catch {
      // Not our state, or it was changed.
      return undefined
    }
  }
}
