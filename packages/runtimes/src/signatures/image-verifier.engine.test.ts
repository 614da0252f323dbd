import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest'
import type { ImageClaim, ImageVerifier, Verdict } from '@toolhaven/core/ports/image-verifier'
import { type ImageRegistry, startImageRegistry } from '@toolhaven/testing/testbed/image-registry'
import { type ImageSigner, type SigningIdentity, createImageSigner } from '@toolhaven/testing/testbed/image-signer'
import { type OciRepository, openOciRepository } from '@toolhaven/testing/testbed/oci-repository'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import { type ImageVerifierOptions, createImageVerifier } from './image-verifier.ts'

const REPOSITORY = 'https://git.example.com/team/server'
const PUBLISHER: SigningIdentity = {
  name: `${REPOSITORY}/.ci/release.yml@refs/heads/main`,
  issuer: 'https://id.example.com',
  repository: REPOSITORY,
  ref: 'refs/heads/main',
  runner: 'hosted',
}
const EXPECTED: ImageClaim['expected'] = {
  cert_issuer: PUBLISHER.issuer,
  repository_uri: REPOSITORY,
  signer_identity: '/.ci/release.yml',
  runner_environment: 'hosted',
}
const SIGN = 'https://sigstore.dev/cosign/sign/v1'
const PROVENANCE = 'https://slsa.dev/provenance/v1'

interface Scene {
  registry: ImageRegistry
  signer: ImageSigner
  options: ImageVerifierOptions
}

const opened = new AsyncDisposableStack()
let scene: Scene | undefined
let missing = ''
let repositories = 0

beforeAll(async () => {
  try {
    const registry = opened.use(await startImageRegistry())
    const folder = await mkdtemp(join(tmpdir(), 'thv-signatures-'))
    opened.defer(() => rm(folder, { recursive: true }))
    const signer = await createImageSigner()
    const trustedRoot = join(folder, 'trusted_root.json')
    await writeFile(trustedRoot, JSON.stringify(signer.trustedRoot))
    const options = {
      dockerConfigFolder: folder,
      fetch,
      cacheDir: folder,
      trustedRootPath: () => trustedRoot,
      architecture: 'x64',
    }
    scene = { registry, signer, options }
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    missing = error.message
    process.stderr.write(`skipped: signatures of images: ${missing}\n`)
  }
})
afterAll(() => opened.disposeAsync())

interface Case extends Scene {
  repository: OciRepository
  verifier: ImageVerifier
  verify: (reference: string, more?: Partial<ImageClaim>) => Promise<Verdict>
}

const inScene = (title: string, body: (given: Case) => Promise<void>) =>
  test(title, async (context: TestContext) => {
    if (scene === undefined) return context.skip(missing)
    const repository = openOciRepository(scene.registry.host, `team/case-${(repositories += 1)}`)
    const verifier = createImageVerifier(scene.options)
    const verify = (reference: string, more: Partial<ImageClaim> = {}) =>
      verifier.verify({ reference, expected: EXPECTED, ...more }, AbortSignal.timeout(20_000))
    await body({ ...scene, repository, verifier, verify })
  })

const verified = (digest: string): Verdict => ({ outcome: 'verified', digest, signer: PUBLISHER.name })

describe('an image is verified', () => {
  inScene('by a signature under cosign’s tag', async ({ signer, repository, verify }) => {
    const { digest } = await repository.pushImage('1', 'cosign')
    await repository.pushSignatures(digest, [await signer.signLikeCosign(digest, PUBLISHER)])
    expect(await verify(`${repository.name}:1`)).toEqual(verified(digest))
    expect(await verify(`${repository.name}@${digest}`)).toEqual(verified(digest))
  })

  inScene('by a bundle over its manifest', async ({ signer, repository, verify }) => {
    const image = await repository.pushImage('1', 'bundle')
    await repository.pushBundles(image, [await signer.signManifest(image.bytes, PUBLISHER)])
    expect(await verify(`${repository.name}:1`)).toEqual(verified(image.digest))
  })

  for (const type of [SIGN, PROVENANCE]) {
    inScene(`by an attestation ${type}`, async ({ signer, repository, verify }) => {
      const image = await repository.pushImage('1', type)
      await repository.pushBundles(image, [await signer.attest(image.digest, PUBLISHER, { type })])
      expect(await verify(`${repository.name}:1`)).toEqual(verified(image.digest))
    })
  }

  inScene('by a bundle that the registry itself lists', async ({ signer, repository, options }) => {
    const image = await repository.pushImage('1', 'listed')
    const list = await repository.pushBundles(image, [await signer.signManifest(image.bytes, PUBLISHER)])
    const none = await repository.pushBundles(image, [])
    expect(none).not.toEqual(list)
    const listing: ImageVerifierOptions['fetch'] = async (url, init) =>
      url.endsWith(`/referrers/${image.digest}`) ? new Response(new Uint8Array(list)) : fetch(url, init)
    const claim = { reference: `${repository.name}:1`, expected: EXPECTED }
    const found = await createImageVerifier({ ...options, fetch: listing }).verify(claim, AbortSignal.timeout(20_000))
    expect(found).toEqual(verified(image.digest))
  })

  inScene('by one good signature among others', async ({ signer, repository, verify }) => {
    const { digest } = await repository.pushImage('1', 'several')
    const other = await signer.signLikeCosign(digest, { ...PUBLISHER, issuer: 'https://elsewhere.example.com' })
    await repository.pushSignatures(digest, [other, await signer.signLikeCosign(digest, PUBLISHER)])
    expect(await verify(`${repository.name}:1`)).toEqual(verified(digest))
  })

  inScene('as an index, and as the part of it for this processor', async ({ signer, repository, verify }) => {
    const parts = { arm64: await repository.pushImage('arm', 'arm'), amd64: await repository.pushImage('amd', 'amd') }
    const index = await repository.pushIndex('1', parts)
    expect(await verify(`${repository.name}:1`)).toMatchObject({ outcome: 'unsigned', digest: index.digest })
    const { digest } = parts.amd64
    await repository.pushSignatures(digest, [await signer.signLikeCosign(digest, PUBLISHER)])
    expect(await verify(`${repository.name}:1`)).toEqual(verified(digest))
    await repository.pushSignatures(index.digest, [await signer.signLikeCosign(index.digest, PUBLISHER)])
    expect(await verify(`${repository.name}:1`)).toEqual(verified(index.digest))
  })

  inScene('with the attestation that the registry names', async ({ signer, repository, verify }) => {
    const image = await repository.pushImage('1', 'predicate')
    const predicate = { builder: { id: 'https://ci.example.com', version: 3 } }
    await repository.pushBundles(image, [await signer.attest(image.digest, PUBLISHER, { type: PROVENANCE, predicate })])
    const withPredicate = (wanted: object) => ({
      expected: { ...EXPECTED, attestation: { predicate_type: PROVENANCE, predicate: wanted } },
    })
    const reference = `${repository.name}:1`
    expect(await verify(reference, withPredicate({ builder: { version: 3 } }))).toEqual(verified(image.digest))
    expect(await verify(reference, withPredicate({ builder: { version: 4 } }))).toMatchObject({ outcome: 'rejected' })
  })

  inScene('of a registry that wants to know who asks', async ({ signer, options }) => {
    const login = { username: 'puller', password: 'p4ss:word' }
    await using locked = await startImageRegistry(login)
    const authorization = `Basic ${Buffer.from('puller:p4ss:word').toString('base64')}`
    const asking: typeof fetch = (url, init) =>
      fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization } })
    const repository = openOciRepository(locked.host, 'team/locked', asking)
    const { digest } = await repository.pushImage('1', 'locked')
    await repository.pushSignatures(digest, [await signer.signLikeCosign(digest, PUBLISHER)])
    const claim = { reference: `${repository.name}:1`, expected: EXPECTED }
    const verifyIt = () => createImageVerifier(options).verify(claim, AbortSignal.timeout(20_000))
    expect(await verifyIt()).toMatchObject({ outcome: 'unreachable', reason: expect.stringContaining('docker login') })
    const auths = { [locked.host]: { auth: Buffer.from('puller:p4ss:word').toString('base64') } }
    await writeFile(join(options.dockerConfigFolder, 'config.json'), JSON.stringify({ auths }))
    expect(await verifyIt()).toEqual(verified(digest))
  })
})

describe('an image is rejected', () => {
  const wrongSigners: [string, Partial<SigningIdentity>, string][] = [
    ['somebody else', { name: 'https://git.example.com/mallory/server/.ci/release.yml@refs/heads/main' }, 'signed by'],
    ['another issuer', { issuer: 'https://elsewhere.example.com' }, 'vouched for by https://elsewhere.example.com'],
    ['another repository', { repository: 'https://git.example.com/mallory/server' }, 'from the repository'],
    ['another runner', { runner: 'own' }, 'on a runner own'],
  ]
  for (const [who, other, said] of wrongSigners) {
    inScene(`when it is signed by ${who}`, async ({ signer, repository, verify }) => {
      const image = await repository.pushImage('1', who)
      const { digest } = image
      await repository.pushSignatures(digest, [await signer.signLikeCosign(digest, { ...PUBLISHER, ...other })])
      const rejected = { outcome: 'rejected', digest, reason: expect.stringContaining(said) }
      expect(await verify(`${repository.name}:1`)).toEqual(rejected)
      await repository.pushBundles(image, [await signer.signManifest(image.bytes, { ...PUBLISHER, ...other })])
      expect(await verify(`${repository.name}:1`)).toEqual(rejected)
    })
  }

  inScene('when the signature is about another image', async ({ signer, repository, verify }) => {
    const image = await repository.pushImage('1', 'this')
    const other = await repository.pushImage('2', 'other')
    const rejected = { outcome: 'rejected', digest: image.digest }
    await repository.pushSignatures(image.digest, [await signer.signLikeCosign(other.digest, PUBLISHER)])
    expect(await verify(`${repository.name}:1`)).toMatchObject(rejected)
    await repository.pushBundles(image, [await signer.attest(other.digest, PUBLISHER, { type: SIGN })])
    expect(await verify(`${repository.name}:1`)).toMatchObject({
      ...rejected,
      reason: expect.stringContaining('another image'),
    })
    await repository.pushBundles(image, [await signer.signManifest(other.bytes, PUBLISHER)])
    expect(await verify(`${repository.name}:1`)).toMatchObject(rejected)
  })

  inScene('when what was signed was changed since', async ({ signer, repository, verify }) => {
    const { digest } = await repository.pushImage('1', 'tampered')
    const layer = await signer.signLikeCosign(`sha256:${'0'.repeat(64)}`, PUBLISHER)
    const payload = Buffer.from(layer.payload.toString().replace(`sha256:${'0'.repeat(64)}`, digest))
    await repository.pushSignatures(digest, [{ ...layer, payload }])
    const reason = expect.stringContaining('not valid')
    expect(await verify(`${repository.name}:1`)).toEqual({ outcome: 'rejected', digest, reason })
  })

  inScene('when the signature is from after the certificate’s end', async ({ signer, repository, verify }) => {
    const { digest } = await repository.pushImage('1', 'late')
    const loggedAt = new Date(Date.now() + 3_600_000)
    await repository.pushSignatures(digest, [await signer.signLikeCosign(digest, PUBLISHER, { loggedAt })])
    const reason = expect.stringContaining('certificate chain')
    expect(await verify(`${repository.name}:1`)).toEqual({ outcome: 'rejected', digest, reason })
  })

  inScene('when no log has the signature', async ({ signer, repository, verify }) => {
    const image = await repository.pushImage('1', 'unlogged')
    const { digest } = image
    await repository.pushSignatures(digest, [await signer.signLikeCosign(digest, PUBLISHER, { unlogged: true })])
    const rejected = { outcome: 'rejected', digest, reason: expect.stringContaining('expected 1 timestamps') }
    expect(await verify(`${repository.name}:1`)).toEqual(rejected)
    await repository.pushBundles(image, [await signer.signManifest(image.bytes, PUBLISHER, { unlogged: true })])
    expect(await verify(`${repository.name}:1`)).toEqual(rejected)
  })

  inScene('when authority and logs are not the trusted ones', async ({ repository, verify }) => {
    const image = await repository.pushImage('1', 'stranger')
    const stranger = await createImageSigner()
    await repository.pushBundles(image, [await stranger.signManifest(image.bytes, PUBLISHER)])
    const reason = expect.stringContaining('not valid')
    expect(await verify(`${repository.name}:1`)).toEqual({ outcome: 'rejected', digest: image.digest, reason })
  })

  inScene('when the attestation is about something else', async ({ signer, repository, verify }) => {
    const image = await repository.pushImage('1', 'sbom')
    await repository.pushBundles(image, [
      await signer.attest(image.digest, PUBLISHER, { type: 'https://spdx.dev/Document' }),
    ])
    const reason = expect.stringContaining('of another kind')
    expect(await verify(`${repository.name}:1`)).toMatchObject({ outcome: 'rejected', reason })
  })

  inScene('when what lies there is no signature', async ({ repository, verify }) => {
    const image = await repository.pushImage('1', 'garbage')
    await repository.pushBundles(image, [{ mediaType: 'nonsense' }])
    await repository.pushSignatures(image.digest, [{ payload: Buffer.from('x'), annotations: {} }])
    const reason = expect.stringContaining('of no use')
    expect(await verify(`${repository.name}:1`)).toMatchObject({ outcome: 'rejected', reason })
  })
})

describe('an image is not verified', () => {
  inScene('when nobody signed it', async ({ repository, verify }) => {
    const { digest } = await repository.pushImage('1', 'unsigned')
    expect(await verify(`${repository.name}:1`)).toMatchObject({ outcome: 'unsigned', digest })
  })

  inScene('by what its tag means now, when another is asked about', async ({ signer, repository, verify }) => {
    const before = await repository.pushImage('1', 'before')
    await repository.pushSignatures(before.digest, [await signer.signLikeCosign(before.digest, PUBLISHER)])
    const after = await repository.pushImage('1', 'after')
    expect(await verify(`${repository.name}:1`)).toMatchObject({ outcome: 'unsigned', digest: after.digest })
    expect(await verify(`${repository.name}:1`, { digest: before.digest })).toEqual(verified(before.digest))
  })

  inScene('when it is not in its registry', async ({ repository, verify }) => {
    expect(await verify(`${repository.name}:none`)).toMatchObject({ outcome: 'unreachable' })
  })

  inScene('when its registry does not answer', async ({ verify }) => {
    await using gone = await startImageRegistry()
    const reference = `${gone.host}/team/gone:1`
    await gone[Symbol.asyncDispose]()
    expect(await verify(reference)).toMatchObject({ outcome: 'unreachable' })
    const digest = `sha256:${'a'.repeat(64)}`
    expect(await verify(reference, { digest })).toMatchObject({ outcome: 'unreachable', digest })
  })

  inScene('without a trust root to judge by', async ({ signer, repository, options }) => {
    const { digest } = await repository.pushImage('1', 'rootless')
    await repository.pushSignatures(digest, [await signer.signLikeCosign(digest, PUBLISHER)])
    const claim = { reference: `${repository.name}:1`, expected: EXPECTED }
    const lost = createImageVerifier({ ...options, trustedRootPath: () => '/nowhere/root.json' })
    expect(await lost.verify(claim, AbortSignal.timeout(20_000))).toMatchObject({
      outcome: 'unreachable',
      digest,
      reason: expect.stringContaining('/nowhere/root.json'),
    })
    const unknown = createImageVerifier({ ...options, trustedRootPath: () => undefined })
    const elsewhere = { ...claim, expected: { ...EXPECTED, sigstore_url: 'tuf.example.com' } }
    expect(await unknown.verify(elsewhere, AbortSignal.timeout(20_000))).toMatchObject({
      outcome: 'unreachable',
      reason: expect.stringContaining('trusted_root_path'),
    })
  })
})
