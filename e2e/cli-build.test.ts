import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { buildRecipe, builtImage } from '@toolhaven/contract/builds'
import { buildFolder } from '@toolhaven/testing/testbed/build-image'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineHttp } from '@toolhaven/testing/testbed/engine-http'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { bridgeOf } from './src/bridge-of.ts'
import { type CliWorld, openCliWorld } from './src/cli-world.ts'
import { startDaemon } from './src/daemon-process.ts'
import { writeFixturePackage } from './src/fixture-package.ts'
import { usePlatform } from './src/platform.ts'
import { atTerminal } from './src/terminal.ts'
import { thv } from './src/thv.ts'

const EVERYTHING = '@modelcontextprotocol/server-everything'

describe('with a container engine', () => {
  const platformOf = usePlatform('docker')

  test('an image is built, named, run, found again, and built by others from what is written out', async (context) => {
    const { engine, makeHome } = platformOf(context)
    if (!engine) throw new Error('this platform has an engine')
    await using stack = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'thv-e2e-build-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    await writeFixturePackage(join(folder, 'package'), EVERYTHING)
    const bin = { 'server-everything': 'fixture-server.mjs' }
    const manifest = { name: EVERYTHING, version: '1.0.0', type: 'module', bin }
    await writeFile(join(folder, 'package', 'package.json'), JSON.stringify(manifest))
    const registry = stack.use(await startPackageRegistry([join(folder, 'package')], { host: await bridgeOf(engine) }))
    const home = stack.use(await makeHome({ npm_config_registry: registry.url }))
    await writeFile(join(home.env['HOME'] ?? '', '.npmrc'), `registry=${registry.url}\n`)
    stack.use(await startDaemon(home))

    const built = await thv(home, ['build', `npx://${EVERYTHING}`, '--tag', 'everything:latest'])
    expect(built).toEqual({ code: 0, stdout: 'everything:latest\n', stderr: '' })
    const id = await imageId(engine, 'everything:latest')
    const again = await thv(home, ['build', `npx://${EVERYTHING}@1.0.0`, '--format', 'json'])
    expect(builtImage.parse(JSON.parse(again.stdout))).toEqual({
      package: `npx://${EVERYTHING}@1.0.0`,
      image: expect.stringMatching(/^toolhaven\.local\/npx-modelcontextprotocol-server-everything:[0-9a-f]{32}$/),
      id,
    })

    const run = await thv(home, ['run', 'everything:latest', '--name', 'built'])
    expect(run, run.stderr).toMatchObject({ code: 0 })
    const tools = await thv(home, ['mcp', 'list', 'tools', '--server', 'built'])
    expect(tools.stdout, tools.stderr).toContain('\nadd ')

    const written = await thv(home, ['build', `npx://${EVERYTHING}@1.0.0`, '--output', 'image/'])
    expect(written.code, written.stderr).toBe(0)
    const names = written.stdout.trim().split('\n')
    expect(names).toEqual(expect.arrayContaining(['image/Dockerfile', 'image/npmrc', 'image/package.json']))
    await appendFile(join(home.dir, 'image', 'npmrc'), `registry=${registry.url}\n`)
    await buildFolder(engine.socketPath, 'by-hand:1', join(home.dir, 'image'))
    await imageId(engine, 'by-hand:1')

    expect(await thv(home, ['build', 'npx://thv-nobody-made-this'])).toMatchObject({ code: 3, stdout: '' })
    expect(await thv(home, ['build', `npx://${EVERYTHING}`, '--tag', 'Not A Name'])).toMatchObject({ code: 2 })
    await thv(home, ['rm', '--all', '--yes'])
  })

  test('a terminal shows how far the build is', async (context) => {
    const { engine, makeHome } = platformOf(context)
    if (!engine) throw new Error('this platform has an engine')
    await using stack = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'thv-e2e-build-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    await writeFixturePackage(join(folder, 'package'), 'thv-seen')
    const registry = stack.use(await startPackageRegistry([join(folder, 'package')], { host: await bridgeOf(engine) }))
    const home = stack.use(await makeHome({ npm_config_registry: registry.url }))
    await writeFile(join(home.env['HOME'] ?? '', '.npmrc'), `registry=${registry.url}\n`)
    stack.use(await startDaemon(home))
    const planned = await thv(home, ['build', 'npx://thv-seen', '--dry-run', '--format', 'json'])
    const { code, screen } = await atTerminal(home, ['build', 'npx://thv-seen'], [])
    expect(code, screen).toBe(0)
    expect(screen).toMatch(/\[#+\.+\] building thv-seen 1\.0\.0/)
    expect(screen.trim()).toMatch(/toolhaven\.local\/npx-thv-seen:[0-9a-f]{32}$/)
    // The index is the user's own, and so part of the name.
    expect(screen.trim()).toContain(buildRecipe.parse(JSON.parse(planned.stdout)).image)
  })
})

describe('without an engine', () => {
  let world: CliWorld
  beforeAll(async () => {
    world = await openCliWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('the Dockerfile is printed and written, and building says what is missing', async () => {
    const printed = await thv(world.home, ['build', `npx://${EVERYTHING}`, '--dry-run'])
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    expect(printed.stdout).toMatch(/^FROM docker\.io\/library\/node:24-slim AS fetch\n(?:.*\n)*ENTRYPOINT \[.*\]\n$/)
    const json = await thv(world.home, ['build', `npx://${EVERYTHING}`, '--dry-run', '--format', 'json'])
    expect(buildRecipe.parse(JSON.parse(json.stdout))).toMatchObject({ package: `npx://${EVERYTHING}@1.0.0` })

    const file = await thv(world.home, ['build', `npx://${EVERYTHING}`, '-o', 'made/Dockerfile.mcp'])
    expect(file.stdout.split('\n')).toContain('made/Dockerfile.mcp')
    expect(await readFile(join(world.home.dir, 'made/Dockerfile.mcp'), 'utf8')).toBe(printed.stdout)
    await writeFile(join(world.home.dir, 'package.json'), '{"name":"mine"}')
    expect(await thv(world.home, ['build', `npx://${EVERYTHING}`, '-o', 'Dockerfile'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/package\.json already exists.*\nChoose a new folder/),
    })
    expect(await readFile(join(world.home.dir, 'package.json'), 'utf8')).toBe('{"name":"mine"}')
    const full = await thv(world.home, ['build', `npx://${EVERYTHING}`, '-o', '/dev/full'])
    expect(full).toMatchObject({ stdout: '', stderr: expect.stringContaining('thv: no space is left for /dev\n') })
    expect(full.code).not.toBe(0)

    const refused = await thv(world.home, ['build', `npx://${EVERYTHING}`])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(/needs a container engine.*install Docker or Podman/)
    const answer = await fetch(`${world.daemon.baseUrl}/api/v1beta/builds`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ package: `npx://${EVERYTHING}` }),
    })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('container engine')])
  })

  test('wrong calls are told apart', async () => {
    const build = (...args: string[]) => thv(world.home, ['build', ...args])
    expect(await build('time')).toMatchObject({ code: 2, stderr: expect.stringContaining('npx://NAME') })
    expect(await build('npx://no-such-package', '--dry-run')).toMatchObject({ code: 3 })
    expect(await build('npx://a', '--dry-run', '--output', 'x')).toMatchObject({ code: 2 })
    expect(await build('npx://a', '--dry-run', '--tag', 'x')).toMatchObject({ code: 2 })
    expect(await build()).toMatchObject({ code: 2 })
  })
})

const imageSchema = z.looseObject({ Id: z.string() })

async function imageId(engine: Engine, reference: string): Promise<string> {
  const { status, text } = await engineHttp(engine.socketPath, 'GET', `/images/${reference}/json`)
  expect(status, text).toBe(200)
  return imageSchema.parse(JSON.parse(text)).Id
}
