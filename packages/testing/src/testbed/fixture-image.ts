import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fixtureProgram } from '../runtime-suite/fixture-package.ts'
import { buildBaseImages } from './base-images.ts'
import { buildImage } from './build-image.ts'
import type { Engine } from './engine.ts'

const DOCKERFILE = `FROM docker.io/library/node:24-slim
COPY fixture-program.mjs /fixture/
ARG FLAVOUR=plain
ENV FLAVOUR=$FLAVOUR
USER 65534:65534
ENTRYPOINT ["node", "/fixture/fixture-program.mjs"]
`

/**
 * An image that runs the runtime suite's fixture, under the given reference. Another flavour gives another image id.
 */
export async function buildFixtureImage(engine: Engine, reference: string, flavour = 'plain'): Promise<void> {
  await buildBaseImages(engine, ['node'])
  const fill = async (folder: string) => {
    await copyFile(fixtureProgram, join(folder, 'fixture-program.mjs'))
    await writeFile(join(folder, 'Dockerfile'), DOCKERFILE)
  }
  await buildImage(engine.socketPath, reference, fill, { FLAVOUR: flavour })
}
