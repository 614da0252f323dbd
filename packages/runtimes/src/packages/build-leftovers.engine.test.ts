import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { LABELS } from '@toolhaven/core/ports/runtime'
import { startDocker } from '@toolhaven/testing/testbed/docker'
import { engineHttp, engineMust } from '@toolhaven/testing/testbed/engine-http'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import { createDoorLinks } from '../engine/door-links.ts'
import { createEngineClient } from '../engine/engine-client.ts'
import { buildSweeper } from './build-leftovers.ts'
import { tar } from './tar.ts'
import { BUILDER_LABEL } from './template.ts'

const imagesSchema = z.array(z.looseObject({ Labels: z.record(z.string(), z.string()).nullish() }))

test('the unnamed image of a last step that broke off goes, and images with a name and those of others stay', async (context) => {
  await using stack = new AsyncDisposableStack()
  const engine = await startDocker().catch((error: unknown) => {
    if (error instanceof Unavailable) return context.skip(error.message)
    throw error
  })
  stack.use(engine)
  const folder = await mkdtemp(join(tmpdir(), 'thv-lost-image-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  /** If a file is missing, the build ends after the first layer, like that of a killed daemon. */
  const build = async (owner: string, file: string, tag?: string) => {
    const Dockerfile = `FROM scratch\nLABEL ${BUILDER_LABEL}="${owner}"\nCOPY Dockerfile /x\nCOPY ${file} /y\n`
    const query = new URLSearchParams({ rm: 'true', forcerm: 'true', ...(tag && { t: tag }) })
    await engineHttp(engine.socketPath, 'POST', `/build?${query}`, { bytes: Buffer.from(tar({ Dockerfile }, 0o644)) })
  }
  await build('mine', 'missing')
  await build('other', 'missing')
  await build('mine', 'Dockerfile', 'toolhaven.local/kept:1')
  const owners = async () => {
    const images = imagesSchema.parse(JSON.parse(await engineMust(engine.socketPath, 'GET', '/images/json')))
    return images.map(({ Labels }) => Labels?.[BUILDER_LABEL] ?? '').toSorted()
  }
  expect(await owners()).toEqual(['mine', 'mine', 'other'])

  const client = createEngineClient('Docker', { kind: 'unix', path: engine.socketPath })
  const links = createDoorLinks()
  const instances = { client, socketDir: folder, links, engineFilters: async () => 0, unfiltered: new Set<string>() }
  await buildSweeper(instances, 'docker')({ [LABELS.instance]: 'mine' }, new Set(), AbortSignal.timeout(60_000))
  expect(await owners()).toEqual(['mine', 'other'])
  expect((await engineHttp(engine.socketPath, 'GET', '/images/toolhaven.local/kept:1/json')).status).toBe(200)
})
