import { workloadDetails } from '@toolhaven/contract/workloads'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { scenario, send } from '@toolhaven/testing/scenario'
import { describe, expect } from 'vitest'

const CREATE = 'POST /api/v1beta/workloads'
const A = `sha256:${'a'.repeat(64)}`
const B = `sha256:${'b'.repeat(64)}`
const IMAGE = 'registry.example.com/team/signed:1.0'
const PINNED = 'registry.example.com/team/signed'

const details = async (fake: FakeDaemon) =>
  workloadDetails.parse(JSON.parse((await send(fake, 'GET /api/v1beta/workloads/signed')).text))

describe('a workload whose image the registry says who signs', () => {
  scenario('starts exactly what was verified, and shows who signed it', {
    request: CREATE,
    body: { image: 'signed', image_verification: 'enabled' },
    answers: { status: 201 },
    afterwards: async (fake) => {
      expect(fake.verifier.claims).toEqual([
        { reference: IMAGE, expected: expect.objectContaining({ cert_issuer: 'https://id.example.com' }) },
      ])
      expect(fake.runtime.pulls).toEqual([`${PINNED}@${A}`])
      expect(fake.runtime.calls).toContain(`tag ${PINNED}@${A} ${IMAGE}`)
      expect(fake.runtime.instances.get('thv-signed')?.spec.prepared).toEqual({ id: `${PINNED}@${A}`, digest: A })
      expect(await details(fake)).toMatchObject({
        status: 'running',
        image_verification: 'enabled',
        started_image: { digest: A, verification: 'verified', detail: 'signed by https://git.example.com/ci' },
      })
    },
  })

  scenario('is started again as it was verified without asking anybody', {
    given: (fake) => send(fake, CREATE, { body: { image: 'signed', image_verification: 'enabled' } }),
    request: 'POST /api/v1beta/workloads/signed/restart',
    answers: { status: 202 },
    afterwards: async (fake) => {
      fake.verifier.verdict = { outcome: 'unreachable', reason: 'nobody answers' }
      fake.runtime.local.set(IMAGE, B)
      await send(fake, 'POST /api/v1beta/workloads/signed/restart')
      await fake.daemon.supervisor.idle()
      expect(fake.verifier.claims).toHaveLength(1)
      expect(fake.runtime.instances.get('thv-signed')?.spec.prepared.digest).toBe(A)
    },
  })

  scenario('with its name given again is verified again', {
    given: (fake) => send(fake, CREATE, { body: { image: 'signed', image_verification: 'enabled' } }),
    request: 'POST /api/v1beta/workloads/signed/edit',
    body: { image: 'signed' },
    answers: { status: 200 },
    afterwards: (fake) => expect(fake.verifier.claims).toHaveLength(2),
  })

  for (const verdict of [
    { outcome: 'unsigned', digest: B, reason: 'its registry has no signature of it' },
    { outcome: 'rejected', digest: B, reason: 'it is signed by somebody' },
  ] as const) {
    scenario(`does not start when it is ${verdict.outcome} and must be verified`, {
      given: (fake) => {
        fake.verifier.verdict = verdict
      },
      request: CREATE,
      body: { image: 'signed', image_verification: 'enabled' },
      answers: { status: 201 },
      afterwards: async (fake) => {
        const shown = await details(fake)
        expect(shown.status).toBe('error')
        expect(shown.status_context).toContain(`${PINNED}@${B} is not started`)
        expect(shown.status_context).toContain(verdict.reason)
        expect(shown.status_context).toContain('set image_verification to warn')
        expect(fake.runtime.pulls).toEqual([])
        expect(fake.runtime.instances.size).toBe(0)
      },
    })

    scenario(`starts when it is ${verdict.outcome}, and says so`, {
      given: (fake) => {
        fake.verifier.verdict = verdict
      },
      request: CREATE,
      body: { image: 'signed' },
      answers: { status: 201 },
      afterwards: async (fake) => {
        const shown = await details(fake)
        expect(shown.status).toBe('running')
        expect(shown.status_context).toMatch(new RegExp(`^the image is not verified: ${verdict.reason}; `))
        expect(shown.started_image).toEqual({ digest: B, verification: verdict.outcome, detail: verdict.reason })
        expect(fake.runtime.pulls).toEqual([`${PINNED}@${B}`])
        expect(await fake.logs.tail('signed', 10)).toContain(`image verification: ${verdict.reason}`)
      },
    })
  }

  scenario('that could not be verified is tried again', {
    given: (fake) => {
      fake.verifier.verdict = { outcome: 'unreachable', reason: 'the registry does not answer' }
    },
    request: CREATE,
    body: { image: 'signed', image_verification: 'enabled' },
    answers: { status: 201 },
    afterwards: async (fake) => {
      expect(await details(fake)).toMatchObject({
        status: 'error',
        status_context: `${IMAGE} could not be verified and is not started: the registry does not answer`,
      })
      expect(fake.runtime.pulls).toEqual([])
      fake.verifier.verdict = { outcome: 'verified', digest: A, signer: 'ci' }
      await fake.clock.advance(60_000)
      expect((await details(fake)).status).toBe('running')
    },
  })

  scenario('is judged by the copy on the engine, which is the one that starts', {
    given: (fake) => {
      fake.runtime.local.set(IMAGE, B).set(`${PINNED}@${B}`, B)
      fake.verifier.verdict = { outcome: 'verified', digest: B, signer: 'ci' }
    },
    request: CREATE,
    body: { image: 'signed' },
    answers: { status: 201 },
    afterwards: async (fake) => {
      expect(fake.verifier.claims).toMatchObject([{ reference: IMAGE, digest: B }])
      expect(fake.runtime.pulls).toEqual([])
      expect((await details(fake)).started_image).toMatchObject({ digest: B, verification: 'verified' })
    },
  })

  scenario('is not taken for the publisher’s when it was built on this engine', {
    given: (fake) => fake.runtime.local.set(IMAGE, undefined),
    request: CREATE,
    body: { image: 'signed', image_verification: 'enabled' },
    answers: { status: 201 },
    afterwards: async (fake) => {
      const shown = await details(fake)
      expect(shown.status).toBe('error')
      expect(shown.status_context).toContain('did not come from a registry')
      expect(fake.verifier.claims).toEqual([])
    },
  })

  scenario('is not looked at when nobody wants it', {
    request: CREATE,
    body: { image: 'signed', image_verification: 'disabled' },
    answers: { status: 201 },
    afterwards: async (fake) => {
      expect(fake.verifier.claims).toEqual([])
      expect(fake.runtime.pulls).toEqual([IMAGE])
      expect(await details(fake)).toMatchObject({
        image_verification: 'disabled',
        started_image: { digest: 'sha256:0' },
      })
    },
  })

  scenario('keeps its wish through export and import', {
    given: (fake) => send(fake, CREATE, { body: { image: 'signed', image_verification: 'enabled' } }),
    request: 'GET /api/v1beta/workloads/signed/export',
    answers: { status: 200, matches: { image_verification: 'enabled', base_name: 'signed' } },
    afterwards: async (fake, { text }) => {
      const body = { ...JSON.parse(text), name: 'second', port: undefined }
      expect((await send(fake, 'POST /api/v1beta/workloads/import', { body })).status).toBe(201)
      await fake.daemon.supervisor.idle()
      expect(fake.verifier.claims).toHaveLength(2)
      expect(fake.workloadStore.records.get('second')?.config.image_verification).toBe('enabled')
    },
  })
})

describe('a workload of which nobody says who signs it', () => {
  scenario('starts, and says that nothing was checked', {
    request: CREATE,
    body: { name: 'signed', image: 'registry.example.com/other:1' },
    answers: { status: 201 },
    afterwards: async (fake) => {
      const detail = 'no provenance is known for registry.example.com/other:1'
      const shown = await details(fake)
      expect(shown.started_image).toEqual({ digest: 'sha256:0', verification: 'no-provenance', detail })
      expect(shown.status_context).not.toContain('provenance')
      expect(await fake.logs.tail('signed', 10)).toContain(`image verification: ${detail}`)
      expect(fake.verifier.claims).toEqual([])
    },
  })

  scenario('is not spoken of when it was built on this engine', {
    given: (fake) => fake.runtime.local.set('mine:1', undefined),
    request: CREATE,
    body: { name: 'signed', image: 'mine:1' },
    answers: { status: 201 },
    afterwards: async (fake) => {
      expect((await details(fake)).started_image).toBeUndefined()
      expect(await fake.logs.tail('signed', 10)).toEqual([])
    },
  })

  const refused: [string, object, RegExp][] = [
    [
      'an image',
      { image: 'registry.example.com/other:1' },
      /no provenance is known for registry\.example\.com\/other:1;/,
    ],
    ['a package', { image: 'npx://web@1.0.0' }, /is built here from a package, so nobody signs it/],
    ['a remote server', { url: 'https://mcp.example.com/mcp' }, /for servers that run here from an image/],
  ]
  for (const [what, body, text] of refused) {
    scenario(`is refused where it must be verified: ${what}`, {
      request: CREATE,
      body: { name: 'signed', ...body, image_verification: 'enabled' },
      answers: { status: 400, text },
      afterwards: (fake) => expect(fake.workloadStore.records.size).toBe(0),
    })
  }
})
