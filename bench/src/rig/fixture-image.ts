import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildBaseImages } from '@toolhaven/testing/testbed/base-images'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import type { Engine } from '@toolhaven/testing/testbed/engine'

export const FIXTURE_IMAGE = 'localhost/thv-bench-fixture:1.0.0'

const DOCKERFILE = `FROM docker.io/library/node:24-slim
COPY fixture-server.mjs /fixture/
USER 65534:65534
ENTRYPOINT ["node", "/fixture/fixture-server.mjs"]
`

/** The fixture server as an image of this engine. */
export async function buildFixtureImage(engine: Engine, fixtureFile: string, folder: string): Promise<void> {
  await buildBaseImages(engine, ['node'])
  const context = join(folder, 'image')
  await mkdir(context)
  await copyFile(fixtureFile, join(context, 'fixture-server.mjs'))
  await writeFile(join(context, 'Dockerfile'), DOCKERFILE)
  const tar = join(folder, 'image.tar')
  await promisify(execFile)('tar', ['-C', context, '-cf', tar, '.'])
  const query = new URLSearchParams({ t: FIXTURE_IMAGE, rm: 'true' })
  await engineMust(engine.socketPath, 'POST', `/build?${query}`, { bytes: await readFile(tar) })
}
