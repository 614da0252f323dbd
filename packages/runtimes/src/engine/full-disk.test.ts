import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { invalid } from '@toolhaven/core/errors'
import { createEngineClient, type EngineClient } from './engine-client.ts'
import { orFullDisk } from './full-disk.ts'

let folder: string
let imageFolder: string
let client: EngineClient
const engine = createServer((_request, response) => response.end(JSON.stringify({ DockerRootDir: imageFolder })))
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-full-disk-'))
  const path = join(folder, 's')
  engine.listen(path)
  await once(engine, 'listening')
  client = createEngineClient('Podman', { kind: 'unix', path })
})
afterAll(async () => {
  engine.close()
  await rm(folder, { recursive: true, force: true })
})

const NPM = 'Building the image failed: npm error nospc ENOSPC: no space left on device, write'
const PIP = 'Building the image failed: ERROR: [Errno 28] No space left on device'
const DOCKER = 'The engine refused to keep the files: write /layer.tar: no space left on device'

test.each([NPM, PIP, DOCKER])('names the folder where the engine has no space left: %s', async (said) => {
  // On another machine: nobody here can tell how full it is.
  imageFolder = '/var/lib/elsewhere/containers'
  await expect(orFullDisk(client, Promise.reject(invalid(said)))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      /^no space is left for \/var\/lib\/elsewhere\/containers, where Podman at \S+ keeps images/,
    ),
  })
})

test('names the folder and what is free there when it has room by now', async () => {
  imageFolder = tmpdir()
  await expect(orFullDisk(client, Promise.reject(invalid(`${NPM}.`)))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      new RegExp(`^${NPM}; Podman at \\S+ keeps images and containers in ${tmpdir()}, where \\d+ MiB are free\\. `),
    ),
  })
})

test('leaves the error as it is when it speaks of something else', async () => {
  imageFolder = '/var/lib/elsewhere/containers'
  const other = 'Building the image failed: 404 Not Found'
  await expect(orFullDisk(client, Promise.reject(invalid(other)))).rejects.toThrow(other)
  await expect(orFullDisk(client, Promise.resolve(1))).resolves.toBe(1)
})
