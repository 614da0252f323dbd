import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { initializeCA, initializeCTLog, initializeTLog } from '@sigstore/mock'
import * as z from 'zod'

/** Who a certificate is given to. */
export interface SigningIdentity {
  name: string
  issuer: string
  repository?: string
  ref?: string
  runner?: string
}

export interface SigningOptions {
  /** When the log says it saw the signature; default: now, while the certificate is valid. */
  loggedAt?: Date
  /** Nothing is put into the log. */
  unlogged?: boolean
}

/** A layer of the kind that `cosign sign` stores: what was signed, and in annotations all about the signature. */
export interface SignedLayer {
  payload: Buffer
  annotations: Record<string, string>
}

/** A certificate authority, its log of certificates and a log of signatures: a sigstore of one's own. */
export interface ImageSigner {
  /** The content of its trusted_root.json. */
  trustedRoot: object
  signLikeCosign(digest: string, identity: SigningIdentity, options?: SigningOptions): Promise<SignedLayer>
  /** A bundle with a signature over the manifest itself. */
  signManifest(manifest: Buffer, identity: SigningIdentity, options?: SigningOptions): Promise<object>
  /** A bundle with a statement about the image. */
  attest(digest: string, identity: SigningIdentity, statement: { type: string; predicate?: object }): Promise<object>
}

const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json'
const STATEMENT = 'application/vnd.in-toto+json'
const FULCIO = '1.3.6.1.4.1.57264.1'
const LOG_URL = 'https://log.sigstore.example'

export async function createImageSigner(): Promise<ImageSigner> {
  const [authorityKeys, certificateLogKeys, logKeys] = [newKeys(), newKeys(), newKeys()]
  const certificateLog = await initializeCTLog(certificateLogKeys)
  const authority = await initializeCA(authorityKeys, certificateLog)

  /** Signs with a key that nobody keeps. */
  const signBytes = async (bytes: Buffer, identity: SigningIdentity) => {
    const { publicKey, privateKey } = newKeys()
    const certificate = asBuffer(
      await authority.issueCertificate({
        publicKey: publicKey.export({ format: 'der', type: 'spki' }),
        subjectAltName: identity.name,
        extensions: extensionsOf(identity),
      }),
    )
    return { certificate, signature: sign('sha256', bytes, privateKey) }
  }
  const logged = async (entry: object, { loggedAt, unlogged }: SigningOptions = {}) => {
    if (unlogged === true) return undefined
    const log = await initializeTLog(LOG_URL, logKeys, loggedAt)
    return logAnswer.parse(Object.values(z.record(z.string(), z.unknown()).parse(await log.log(entry)))[0])
  }
  return {
    trustedRoot: {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      certificateAuthorities: [
        {
          certChain: { certificates: [{ rawBytes: asBuffer(authority.rootCertificate).toString('base64') }] },
          validFor: { start: '2020-01-01T00:00:00Z' },
        },
      ],
      ctlogs: [trustedLog(certificateLog.publicKey)],
      tlogs: [trustedLog(logKeys.publicKey.export({ format: 'der', type: 'spki' }))],
      timestampAuthorities: [],
    },
    async signLikeCosign(digest, identity, options) {
      const payload = Buffer.from(
        JSON.stringify({
          critical: {
            identity: { 'docker-reference': '' },
            image: { 'docker-manifest-digest': digest },
            type: 'cosign container image signature',
          },
          optional: null,
        }),
      )
      const made = await signBytes(payload, identity)
      const entry = await logged(hashedRecord(payload, made), options)
      return { payload, annotations: annotationsOf(made, entry) }
    },
    async signManifest(manifest, identity, options) {
      const made = await signBytes(manifest, identity)
      const entry = await logged(hashedRecord(manifest, made), options)
      const messageDigest = { algorithm: 'SHA2_256', digest: hashOf(manifest).toString('base64') }
      const messageSignature = { messageDigest, signature: made.signature.toString('base64') }
      return { ...bundleOf(made, entry, 'hashedrekord'), messageSignature }
    },
    async attest(digest, identity, { type, predicate = {} }) {
      const statement = {
        _type: 'https://in-toto.io/Statement/v1',
        subject: [{ name: 'image', digest: { sha256: digest.replace('sha256:', '') } }],
        predicateType: type,
        predicate,
      }
      const payload = Buffer.from(JSON.stringify(statement))
      const made = await signBytes(encoded(payload), identity)
      const entry = await logged(envelopeRecord(payload, made))
      const signatures = [{ sig: made.signature.toString('base64'), keyid: '' }]
      const dsseEnvelope = { payload: payload.toString('base64'), payloadType: STATEMENT, signatures }
      return { ...bundleOf(made, entry, 'dsse'), dsseEnvelope }
    },
  }
}

interface Made {
  certificate: Buffer
  signature: Buffer
}

const logAnswer = z.object({
  body: z.string(),
  integratedTime: z.int(),
  logID: z.string(),
  logIndex: z.int(),
  verification: z.object({
    signedEntryTimestamp: z.string(),
    inclusionProof: z.object({
      logIndex: z.int(),
      treeSize: z.int(),
      rootHash: z.string(),
      hashes: z.array(z.string()),
      checkpoint: z.string(),
    }),
  }),
})
type LogEntry = z.infer<typeof logAnswer>

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
const asBuffer = (view: ArrayBufferView) => Buffer.from(view.buffer, view.byteOffset, view.byteLength)

function extensionsOf({ issuer, repository, ref, runner }: SigningIdentity) {
  const values = { 8: issuer, 11: runner, 12: repository, 14: ref }
  return Object.entries(values).flatMap(([number, value]) =>
    value === undefined ? [] : [{ oid: `${FULCIO}.${number}`, value }],
  )
}

function trustedLog(publicKey: Buffer): object {
  return {
    baseUrl: LOG_URL,
    hashAlgorithm: 'SHA2_256',
    publicKey: {
      rawBytes: publicKey.toString('base64'),
      keyDetails: 'PKIX_ECDSA_P256_SHA_256',
      validFor: { start: '2020-01-01T00:00:00Z' },
    },
    logId: { keyId: hashOf(publicKey).toString('base64') },
  }
}

function pemOf({ certificate }: Made): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function hashedRecord(bytes: Buffer, made: Made): object {
  const publicKey = { content: Buffer.from(pemOf(made)).toString('base64') }
  const signature = { content: made.signature.toString('base64'), publicKey }
  const data = { hash: { algorithm: 'sha256', value: hashOf(bytes).toString('hex') } }
  return { kind: 'hashedrekord', apiVersion: '0.0.1', spec: { signature, data } }
}

function envelopeRecord(payload: Buffer, made: Made): object {
  const verifier = Buffer.from(pemOf(made)).toString('base64')
  const signatures = [{ signature: made.signature.toString('base64'), verifier }]
  const payloadHash = { algorithm: 'sha256', value: hashOf(payload).toString('hex') }
  return { kind: 'dsse', apiVersion: '0.0.1', spec: { signatures, payloadHash } }
}

/** What a signature over an envelope is really over. */
function encoded(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${STATEMENT.length} ${STATEMENT} ${payload.length} `), payload])
}

function annotationsOf(made: Made, entry: LogEntry | undefined): Record<string, string> {
  const record = entry && {
    SignedEntryTimestamp: entry.verification.signedEntryTimestamp,
    Payload: {
      body: entry.body,
      integratedTime: entry.integratedTime,
      logIndex: entry.logIndex,
      logID: entry.logID,
    },
  }
  return {
    'dev.cosignproject.cosign/signature': made.signature.toString('base64'),
    'dev.sigstore.cosign/certificate': pemOf(made),
    ...(record && { 'dev.sigstore.cosign/bundle': JSON.stringify(record) }),
  }
}

function bundleOf(made: Made, entry: LogEntry | undefined, kind: string): object {
  return {
    mediaType: BUNDLE,
    verificationMaterial: {
      certificate: { rawBytes: made.certificate.toString('base64') },
      tlogEntries: entry ? [logEntryOf(entry, kind)] : [],
    },
  }
}

function logEntryOf(entry: LogEntry, kind: string): object {
  const proof = entry.verification.inclusionProof
  return {
    logIndex: String(entry.logIndex),
    logId: { keyId: Buffer.from(entry.logID, 'hex').toString('base64') },
    kindVersion: { kind, version: '0.0.1' },
    integratedTime: String(entry.integratedTime),
    inclusionPromise: { signedEntryTimestamp: entry.verification.signedEntryTimestamp },
    inclusionProof: {
      logIndex: String(proof.logIndex),
      treeSize: String(proof.treeSize),
      rootHash: Buffer.from(proof.rootHash, 'hex').toString('base64'),
      hashes: proof.hashes,
      checkpoint: { envelope: proof.checkpoint },
    },
    canonicalizedBody: entry.body,
  }
}
