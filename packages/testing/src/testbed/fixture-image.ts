import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fixtureProgram } from '../runtime-suite/fixture-package.ts'
import { buildBaseImages } from './base-images.ts'
import { engineMust } from './engine-http.ts'
import type { Engine } from './engine.ts'

const DOCKERFILE = `FROM docker.io/library/node:24-slim
COPY fixture-program.mjs /fixture/
ARG FLAVOUR=plain
ENV FLAVOUR=$FLAVOUR
USER 65534:65534
ENTRYPOINT ["node", "/fixture/fixture-program.mjs"]
`

/** An image that runs the runtime suite's fixture, under the given reference. Another flavour makes another image id. */
export async function buildFixtureImage(engine: Engine, reference: string, flavour = 'plain'): Promise<void> {
  await buildBaseImages(engine, ['node'])
  const folder = await mkdtemp(join(tmpdir(), 'thv-fixture-'))
  try {
    await copyFile(fixtureProgram, join(folder, 'fixture-program.mjs'))
    await writeFile(join(folder, 'Dockerfile'), DOCKERFILE)
    await promisify(execFile)('tar', [
      '-C',
      folder,
      '-cf',
      join(folder, 'context.tar'),
      'Dockerfile',
      'fixture-program.mjs',
    ])
    const query = new URLSearchParams({ t: reference, rm: 'true', buildargs: JSON.stringify({ FLAVOUR: flavour }) })
    await engineMust(engine.socketPath, 'POST', `/build?${query}`, {
      bytes: await readFile(join(folder, 'context.tar')),
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
