import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeFixtureServer } from '@toolhaven/testing/mcp-servers/fixture-source'
import { buildBaseImages } from '@toolhaven/testing/testbed/base-images'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'

export const FIXTURE_IMAGE = 'docker.io/library/thv-mcp-fixture:1'

const DOCKERFILE = `FROM docker.io/library/node:24-slim
COPY fixture-server.mjs /fixture/
USER 65534:65534
ENTRYPOINT ["node", "/fixture/fixture-server.mjs"]
`

/** Puts the fixture MCP server into the engine, as an image and with the base image of packages. */
export async function buildFixtureImage(engine: Engine, reference: string = FIXTURE_IMAGE): Promise<void> {
  await buildBaseImages(engine, ['node'])
  const folder = await mkdtemp(join(tmpdir(), 'thv-e2e-image-'))
  try {
    await writeFixtureServer(folder)
    await writeFile(join(folder, 'Dockerfile'), DOCKERFILE)
    await promisify(execFile)('tar', [
      '-C',
      folder,
      '-cf',
      join(folder, 'context.tar'),
      'Dockerfile',
      'fixture-server.mjs',
    ])
    const query = new URLSearchParams({ t: reference, rm: 'true' })
    await engineMust(engine.socketPath, 'POST', `/build?${query}`, {
      bytes: await readFile(join(folder, 'context.tar')),
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
