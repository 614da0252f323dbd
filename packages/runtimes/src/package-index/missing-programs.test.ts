import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readNpmrc } from './npmrc.ts'
import { createPackageIndex } from './package-index.ts'

let homeDir: string
let nodePath: string
beforeAll(async () => {
  homeDir = await mkdtemp(join(tmpdir(), 'thv-missing-'))
  nodePath = join(homeDir, 'node')
  // A program without npm beside it.
  await writeFile(nodePath, '')
})
afterAll(() => rm(homeDir, { recursive: true, force: true }))

test.each([
  ['npx', 'everything', /npm is missing.*Install it \(apt install npm/],
  ['uvx', 'tool', /Python 3 is missing.*Install it \(apt install python3/],
  ['go', 'example.com/tool', /Go is missing.*Install it \(apt install golang-go/],
] as const)('a package of %s is the user’s mistake where its program is missing', async (scheme, name, message) => {
  const { latestVersion } = createPackageIndex({ nodePath, env: { PATH: homeDir }, homeDir })
  const look = latestVersion(scheme, name, AbortSignal.timeout(30_000))
  await expect(look).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(message) })
})

test('without npm, an image is built with the configuration of the user alone', async () => {
  const options = { nodePath, env: { PATH: homeDir }, homeDir }
  const { files } = await readNpmrc(options, AbortSignal.timeout(30_000))
  expect(files).toEqual([join(homeDir, '.npmrc')])
})
