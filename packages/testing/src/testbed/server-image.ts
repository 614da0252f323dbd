import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFixtureServer } from '../mcp-servers/fixture-source.ts'
import { buildBaseImages } from './base-images.ts'
import { buildImage } from './build-image.ts'
import type { Engine } from './engine.ts'

const DOCKERFILE = `FROM docker.io/library/node:24-slim
COPY fixture-server.mjs /fixture/
USER 65534:65534
ENTRYPOINT ["node", "/fixture/fixture-server.mjs"]
`

/** Puts the fixture MCP server into the engine, as an image and with the base image of packages. */
export async function buildServerImage(engine: Engine, reference: string): Promise<void> {
  await buildBaseImages(engine, ['node'])
  await buildImage(engine.socketPath, reference, async (folder) => {
    await writeFixtureServer(folder)
    await writeFile(join(folder, 'Dockerfile'), DOCKERFILE)
  })
}
