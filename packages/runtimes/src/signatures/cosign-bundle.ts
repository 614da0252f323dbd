import { createHash } from 'node:crypto'
import { type Bundle, BUNDLE_V01_MEDIA_TYPE, bundleFromJSON } from '@sigstore/bundle'
import { z } from 'zod'
import { invalid } from '@toolhaven/core/errors'

const SIGNATURE = 'dev.cosignproject.cosign/signature'
const CERTIFICATE = 'dev.sigstore.cosign/certificate'
const LOG_ENTRY = 'dev.sigstore.cosign/bundle'

const logEntrySchema = z.object({
  SignedEntryTimestamp: z.string(),
  Payload: z.object({
    body: z.string(),
    integratedTime: z.int(),
    logIndex: z.int(),
    logID: z.string().regex(/^[0-9a-f]{64}$/),
  }),
})
const bodySchema = z.object({ kind: z.string(), apiVersion: z.string() })

/**
 * Puts together the bundle that cosign spreads over the annotations of a layer. The certificates above the signer's are
 * left out on purpose: they count only when the trust root has them.
 */
export function cosignBundle(annotations: Readonly<Record<string, string>>, payload: Buffer): Bundle {
  const { [SIGNATURE]: signature, [CERTIFICATE]: certificate, [LOG_ENTRY]: entry } = annotations
  if (signature === undefined) throw invalid('it has no signature in it')
  if (certificate === undefined) throw invalid('it was made with a key, and no certificate names its owner')
  return bundleFromJSON({
    mediaType: BUNDLE_V01_MEDIA_TYPE,
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes: derOf(certificate) }] },
      tlogEntries: entry === undefined ? [] : [logEntry(entry)],
    },
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: createHash('sha256').update(payload).digest('base64') },
      signature,
    },
  })
}

function logEntry(text: string): object {
  const { SignedEntryTimestamp, Payload } = logEntrySchema.parse(JSON.parse(text))
  const { kind, apiVersion } = bodySchema.parse(JSON.parse(Buffer.from(Payload.body, 'base64').toString('utf8')))
  return {
    logIndex: String(Payload.logIndex),
    logId: { keyId: Buffer.from(Payload.logID, 'hex').toString('base64') },
    kindVersion: { kind, version: apiVersion },
    integratedTime: String(Payload.integratedTime),
    inclusionPromise: { signedEntryTimestamp: SignedEntryTimestamp },
    canonicalizedBody: Payload.body,
  }
}

function derOf(pem: string): string {
  const body = /-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----/.exec(pem)?.[1]
  if (body === undefined) throw invalid('its certificate cannot be read')
  return body.replaceAll(/\s/g, '')
}
