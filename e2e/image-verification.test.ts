import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineHttp, engineMust } from '@toolhaven/testing/testbed/engine-http'
import { pushImage, startImageRegistry } from '@toolhaven/testing/testbed/image-registry'
import { type ImageSigner, createImageSigner } from '@toolhaven/testing/testbed/image-signer'
import { openOciRepository } from '@toolhaven/testing/testbed/oci-repository'
import { startDaemon } from './src/daemon-process.ts'
import { FIXTURE_IMAGE } from './src/fixture-image.ts'
import type { Home } from './src/home.ts'
import { containersOf } from './src/instances.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { enginesInTurn, usePlatform } from './src/platform.ts'
import { openShiftingRegistry } from './src/shifting-registry.ts'
import { thv } from './src/thv.ts'

const PUBLISHER = {
  name: 'https://git.example.com/team/server/.ci/release.yml@refs/heads/main',
  issuer: 'https://id.example.com',
  repository: 'https://git.example.com/team/server',
}
const PROVENANCE = {
  cert_issuer: PUBLISHER.issuer,
  repository_uri: PUBLISHER.repository,
  signer_identity: '/.ci/release.yml',
}

/** A registry of servers with one entry, and the trust root of the publisher's sigstore. */
async function configure(home: Home, signer: ImageSigner, image: string): Promise<void> {
  const folder = join(home.dir, 'config', 'toolhaven')
  await mkdir(folder, { recursive: true })
  const server = { image, description: 'Signed', tier: 'Official', status: 'active', transport: 'stdio', tools: [] }
  const files = {
    'registry.json': JSON.stringify({
      version: '1.0.0',
      last_updated: '2026-01-15T00:00:00Z',
      servers: { signed: { ...server, provenance: PROVENANCE } },
    }),
    'root.json': JSON.stringify(signer.trustedRoot),
    'config.yaml': `local_registry_path: ${folder}/registry.json\ntrusted_root_path: ${folder}/root.json\n`,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const all = [join(folder, '..'), folder, ...Object.keys(files).map((name) => join(folder, name))]
  if (home.user) for (const path of all) await chown(path, home.user.uid, home.user.gid)
}

/** Only the registry has it afterwards. */
async function publish(engine: Engine, repository: string): Promise<void> {
  const query = new URLSearchParams({ repo: repository, tag: '1' })
  await engineMust(engine.socketPath, 'POST', `/images/${FIXTURE_IMAGE}/tag?${query}`)
  await pushImage(engine, `${repository}:1`)
  await engineMust(engine.socketPath, 'DELETE', `/images/${repository}:1`)
}

const hasImage = async (engine: Engine, reference: string) =>
  (await engineHttp(engine.socketPath, 'GET', `/images/${reference}/json`)).status === 200

describe.each(enginesInTurn())('signed images on %s', (kind) => {
  const platform = usePlatform(kind)

  test('what is verified is what starts, though the tag moves meanwhile', { timeout: 600_000 }, async (context) => {
    const here = platform(context)
    const { engine } = here
    if (!engine) throw new Error('this platform has an engine')
    await using registry = await startImageRegistry()
    await using shifting = await openShiftingRegistry(registry.host)
    const signer = await createImageSigner()
    const repository = openOciRepository(registry.host, 'team/server')
    await publish(engine, repository.name)
    const { digest } = await repository.manifest('1')
    const evil = await repository.pushImage('evil', 'no server at all')
    const image = `${shifting.host}/team/server`
    await using home = await here.makeHome()
    await configure(home, signer, `${image}:1`)
    await using daemon = await startDaemon(home)
    const detailsOf = (name: string) => daemon.api.call('getWorkload', { params: { name } })

    const refused = await thv(home, ['run', 'signed', '--image-verification', 'enabled'])
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain(`${image}@${digest} is not started`)
    expect(refused.stderr).toContain('its registry has no signature')
    expect(await containersOf(engine)).toEqual([])
    expect(await hasImage(engine, `${image}:1`)).toBe(false)

    const warned = await thv(home, ['run', 'signed', '--name', 'anyway'])
    expect(warned).toMatchObject({ code: 0, stdout: expect.stringContaining('anyway is running at') })
    expect(warned.stderr).toContain('the image is not verified: its registry has no signature')
    expect((await detailsOf('anyway')).started_image).toMatchObject({ digest, verification: 'unsigned' })
    await thv(home, ['rm', 'anyway'])
    await engineMust(engine.socketPath, 'DELETE', `/images/${image}:1?force=true`)

    await repository.pushSignatures(digest, [await signer.signLikeCosign(digest, PUBLISHER)])
    shifting.whenSignatureIsAsked = () => repository.tag('1', evil)
    const started = await thv(home, ['run', 'signed', '--image-verification', 'enabled'])
    expect(started, started.stderr).toMatchObject({ code: 0 })
    expect((await repository.manifest('1')).digest).toBe(evil.digest)
    const shown = await detailsOf('signed')
    expect(shown.started_image).toEqual({ digest, verification: 'verified', detail: `signed by ${PUBLISHER.name}` })
    expect(shown.status_context).not.toContain('verified')
    await using connection = await connectMcp(shown.url)
    expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')

    const again = await thv(home, ['restart', 'signed'])
    expect(again, again.stderr).toMatchObject({ code: 0 })
    expect((await detailsOf('signed')).started_image).toMatchObject({ digest, verification: 'verified' })
    await thv(home, ['rm', 'signed'])
  })
})
