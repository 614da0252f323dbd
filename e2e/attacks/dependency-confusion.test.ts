import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { buildBaseImages } from '@toolhaven/testing/testbed/base-images'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { startPythonIndex } from '@toolhaven/testing/testbed/python-index'
import type { Weakness } from '../src/attacks/build.ts'
import { describeAttack, type Gains } from '../src/attacks/describe-attack.ts'
import { makeHostileSdist } from '../src/attacks/hostile-packages.ts'
import { openAddress } from '../src/attacks/own-address.ts'
import type { DaemonProcess } from '../src/daemon-process.ts'
import { writeFixturePackage } from '../src/fixture-package.ts'
import type { Home } from '../src/home.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { platformsInTurn, usePlatform } from '../src/platform.ts'
import { untilGone, untilStatus } from '../src/statuses.ts'

/** A different one each time, because an engine keeps the images of packages. */
const newName = () => `thv-confused-${randomBytes(4).toString('hex')}`
const MARKS = { mine: 'from the index of the variables', theirs: 'from the index of the files' }

/** What the Python package reads while it is built, and reports. */
const READ_FILES = { mine: '/etc/hosts', theirs: '/etc/passwd' }

/** The user's files name one index, and their variables, which take precedence, another one. */
async function writeFiles({ env }: Home, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(env['HOME'] ?? '', name)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, text, { mode: 0o644 })
  }
}

/** An npm package whose server has a mark in its program. */
async function writeMarked(folder: string, name: string, mark: string): Promise<string> {
  await writeFixturePackage(folder, name)
  const program = join(folder, 'fixture-server.mjs')
  await writeFile(program, `${await readFile(program, 'utf8')}\n// ${mark}\n`)
  return folder
}

const READ = 'require("node:fs").readFileSync(process.argv[1], "utf8").split("\\n// ").at(-1)'

/** Runs the newest version, and returns what its server says about itself. */
async function runNewest(daemon: DaemonProcess, image: string, ask: (url: string) => Promise<string>): Promise<string> {
  await daemon.api.call('createWorkload', { body: { name: 'confused', image } })
  await untilStatus(daemon, 'confused', 'running')
  const { url } = await daemon.api.call('getWorkload', { params: { name: 'confused' } })
  const said = await ask(url)
  await daemon.api.call('deleteWorkload', { params: { name: 'confused' } })
  await untilGone(daemon, 'confused')
  return said
}

const gainsOf = (isMine: boolean, requests: readonly string[]): Gains => ({
  'code from the other index': !isMine,
  'a request to the other index': requests.length > 0,
})

const FILES_ONLY: readonly Weakness[] = [
  { file: 'packages/runtimes/src/package-index/npmrc.ts', find: '...npmVariables(env)', replace: '' },
  {
    file: 'packages/runtimes/src/packages/user-config.ts',
    find: 'await readPythonSettings({ env, homeDir })',
    replace: 'await readPythonSettings({ env: {}, homeDir })',
  },
]
/** Otherwise the settings that `npm test` passes to its programs would replace the user's own file. */
const NO_NPM_FILES = { npm_config_userconfig: '', npm_config_globalconfig: '' }
const WEAKNESSES = {
  docker: FILES_ONLY,
  podman: FILES_ONLY,
  process: [
    {
      file: 'packages/runtimes/src/package-index/npm.ts',
      find: 'if (!/^npm_config_/i.test(name)) return false',
      replace: 'if (name) return false',
    },
  ],
} as const

describe.each(platformsInTurn(import.meta.url))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('an npm package of the same name and version in another registry', {
    defence: 'variables that count wherever packages are looked up and fetched',
    weaknesses: WEAKNESSES[kind],
    attack: async (build, context) => {
      await using stack = new AsyncDisposableStack()
      const here = platform(context)
      const name = newName()
      const { address: host } = stack.use(await openAddress(context))
      if (here.engine) await buildBaseImages(here.engine, ['node'])
      const folder = await mkdtemp(join(tmpdir(), 'thv-confused-'))
      stack.defer(() => rm(folder, { recursive: true, force: true }))
      const open = async (which: keyof typeof MARKS) =>
        stack.use(await startPackageRegistry([await writeMarked(join(folder, which), name, MARKS[which])], { host }))
      const [mine, theirs] = [await open('mine'), await open('theirs')]
      const home = stack.use(
        await here.makeHome({ ...NO_NPM_FILES, npm_config_registry: '', NPM_CONFIG_REGISTRY: mine.url }),
      )
      await writeFiles(home, { '.npmrc': `registry=${theirs.url}\n` })
      const daemon = stack.use(await build.start(home))
      const program = `${here.engine ? '/app' : '/opt/package'}/node_modules/${name}/fixture-server.mjs`
      const said = await runNewest(daemon, `npx://${name}`, async (url) => {
        await using connection = await connectMcp(url)
        return await callText(connection, 'run', { command: ['node', '-p', READ, program] })
      })
      return gainsOf(said.includes(MARKS.mine), theirs.requests)
    },
  })

  describeAttack('an npm package that another registry supplied before', {
    defence: 'the index in the name of what was installed',
    weaknesses: [
      {
        file: 'packages/runtimes/src/package-index/index-key.ts',
        find: 'if (found.length === 0) return []',
        replace: 'if (found) return []',
      },
    ],
    attack: async (build, context) => {
      await using stack = new AsyncDisposableStack()
      const here = platform(context)
      const name = newName()
      const { address: host } = stack.use(await openAddress(context))
      if (here.engine) await buildBaseImages(here.engine, ['node'])
      const folder = await mkdtemp(join(tmpdir(), 'thv-confused-'))
      stack.defer(() => rm(folder, { recursive: true, force: true }))
      const open = async (which: keyof typeof MARKS) =>
        stack.use(await startPackageRegistry([await writeMarked(join(folder, which), name, MARKS[which])], { host }))
      const [mine, theirs] = [await open('mine'), await open('theirs')]
      const home = stack.use(await here.makeHome({ ...NO_NPM_FILES, npm_config_registry: '' }))
      const daemon = stack.use(await build.start(home))
      const program = `${here.engine ? '/app' : '/opt/package'}/node_modules/${name}/fixture-server.mjs`
      const runFrom = async (registry: string) => {
        await writeFiles(home, { '.npmrc': `registry=${registry}\n` })
        return runNewest(daemon, `npx://${name}`, async (url) => {
          await using connection = await connectMcp(url)
          return await callText(connection, 'run', { command: ['node', '-p', READ, program] })
        })
      }
      const before = await runFrom(theirs.url)
      if (!before.includes(MARKS.theirs)) throw new Error(`the first registry was not asked: ${before}`)
      return { 'code from the registry of before': !(await runFrom(mine.url)).includes(MARKS.mine) }
    },
  })

  // Without an engine uv itself would have to be in the index. `pypi.ts` has tests for the index that uv gets.
  if (kind === 'process') return

  describeAttack('a Python package of the same name and version in another index', {
    defence: 'variables that count wherever packages are looked up and fetched',
    weaknesses: WEAKNESSES[kind],
    attack: async (build, context) => {
      await using stack = new AsyncDisposableStack()
      const here = platform(context)
      const name = newName()
      const { address: host } = stack.use(await openAddress(context))
      if (here.engine) await buildBaseImages(here.engine, ['python'])
      const folder = await mkdtemp(join(tmpdir(), 'thv-confused-'))
      stack.defer(() => rm(folder, { recursive: true, force: true }))
      const open = async (which: keyof typeof MARKS) => {
        const index = stack.use(await startPythonIndex(host))
        const mark = { places: {}, token: '-', paths: [READ_FILES[which]], processes: 0 }
        await mkdir(join(folder, which))
        const content = await makeHostileSdist(join(folder, which), name, mark)
        index.files.set(name, { name: `${name.replaceAll('-', '_')}-1.0.0.tar.gz`, content })
        return index
      }
      const [mine, theirs] = [await open('mine'), await open('theirs')]
      const home = stack.use(await here.makeHome({ UV_DEFAULT_INDEX: mine.url, PIP_TRUSTED_HOST: host }))
      await writeFiles(home, { '.pip/pip.conf': `[global]\nindex-url = ${theirs.url}\ntrusted-host = ${host}\n` })
      const daemon = stack.use(await build.start(home))
      const said = await runNewest(daemon, `uvx://${name}`, async (url) => {
        await using connection = await connectMcp(url)
        return await callText(connection, 'report', {})
      })
      return gainsOf(said.includes(READ_FILES.mine), theirs.requests)
    },
  })
})
