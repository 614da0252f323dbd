import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { attackedPlatforms } from '../src/attacks/attacked-platforms.ts'
import { KNOWN_PLACE, NO_LOOK } from '../src/attacks/filter-weaknesses.ts'
import { type Captive, makeSharedFolder, openCaptive } from '../src/attacks/captive.ts'
import { type Build, SHIPPED } from '../src/attacks/build.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { type Platform, usePlatform } from '../src/platform.ts'
import { untilReport } from '../src/statuses.ts'

const CHECK = 'packages/core/src/workloads/config/check-mounts.ts'
const CANARY = 'only for the user'

/** What the server at a URL reads at a path, or why it cannot. */
async function readThrough(url: string, path: string): Promise<string> {
  await using connection = await connectMcp(url)
  const script = `try { console.log(require('node:fs').readFileSync('${path}', 'utf8')) } catch (error) { console.log(error.code) }`
  return await callText(connection, 'run', { command: ['node', '-e', script] })
}

/** Replaces the folder `data` with a link to `target`, from inside. */
const swap = (folder: string, target: string) => [
  'node',
  '-e',
  `const fs = require('node:fs'); fs.renameSync('${folder}/data', '${folder}/before'); fs.symlinkSync('${target}', '${folder}/data')`,
]

/** The URL of a workload once it runs. Undefined when it is in error. */
async function settled({ daemon }: Captive, name: string): Promise<string | undefined> {
  await untilReport(daemon, name, 'running or in error', ({ status }) => status === 'running' || status === 'error')
  const { status, url } = await daemon.api.call('getWorkload', { params: { name } })
  return status === 'running' ? url : undefined
}

async function readsAfterRestart(captive: Captive, name: string, change?: () => Promise<unknown>): Promise<boolean> {
  await settled(captive, name)
  await change?.()
  await captive.daemon.api.call('restartWorkload', { params: { name } })
  return readsCanary(captive, name)
}

/** Whether a workload reads what it must not. */
async function readsCanary(captive: Captive, name: string): Promise<boolean> {
  const url = await settled(captive, name)
  if (url === undefined) return false
  // A server that has been replaced again by now reads nothing.
  const text = await readThrough(url, '/data/canary').catch(() => '')
  return text.includes(CANARY)
}

/** False when the daemon refuses it. */
async function create(
  { daemon }: Captive,
  { fixture: image }: Platform,
  name: string,
  volumes: string[],
): Promise<boolean> {
  const body = { name, image, volumes }
  return daemon.api.call('createWorkload', { body }).then(
    () => true,
    () => false,
  )
}

/** From now on the folder `data` is alternately a folder and a link to `target`, for some milliseconds each. */
const FLICKER = `
const fs = require('node:fs')
const [folder, target] = process.argv.slice(1)
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1 + Math.random() * 15)
for (;;) {
  pause()
  fs.renameSync(folder + '/data', folder + '/before')
  fs.symlinkSync(target, folder + '/data')
  pause()
  fs.unlinkSync(folder + '/data')
  fs.renameSync(folder + '/before', folder + '/data')
}`

const TRIES = 12

async function plantFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
  await mkdir(path)
  await writeFile(join(path, 'note'), 'harmless')
}

interface Scene extends AsyncDisposable {
  /** Can write `shared`, at /proj. Its neighbour has `inner`, a folder in there, at /data. */
  captive: Captive
  shared: string
  inner: string
  /** Contains the canary, and is not mounted for anybody. */
  theirs: string
}

async function setScene(build: Build, here: Platform): Promise<Scene> {
  await using cleanUp = new AsyncDisposableStack()
  const [{ path: shared }, { path: theirs }] = [
    cleanUp.use(await makeSharedFolder()),
    cleanUp.use(await makeSharedFolder()),
  ]
  await writeFile(join(theirs, 'canary'), CANARY)
  const inner = join(shared, 'data')
  await plantFolder(inner)
  const captive = cleanUp.use(await openCaptive(build, here, { volumes: [`${shared}:/proj`] }))
  await create(captive, here, 'neighbour', [`${inner}:/data:ro`])
  const kept = cleanUp.move()
  return { captive, shared, inner, theirs, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

describe.each(attackedPlatforms('mounts'))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('a server that puts a link where another mount begins', {
    defence: 'the look at every mount before every start',
    weaknesses: [
      { file: CHECK, find: 'if (!isPrivileged) refuseNested(mounts)', replace: '' },
      { file: CHECK, find: 'if (!isPrivileged) refuseNested(declared)', replace: '' },
      { file: CHECK, find: 'if (found.path !== mount.host) throw', replace: 'if (mount.host === undefined) throw' },
      { file: CHECK, find: 'const earlier = kept?.(mount)', replace: 'const earlier = undefined' },
    ],
    attack: async (build, context) => {
      const here = platform(context)
      await using scene = await setScene(build, here)
      const { captive, shared, theirs, inner } = scene
      const fromNeighbour = await readsAfterRestart(captive, 'neighbour', () => captive.run(...swap('/proj', theirs)))
      const edit = { params: { name: 'neighbour' }, body: { env_vars: { HARMLESS: '1' } } }
      // An accepted edit restarts the workload.
      await captive.daemon.api.call('editWorkload', edit).catch(() => undefined)
      const afterEdit = await readsCanary(captive, 'neighbour')
      await rm(inner)
      await rm(join(shared, 'before'), { recursive: true })
      await plantFolder(inner)
      const isNested = await create(captive, here, 'nested', [`${shared}:/proj`, `${inner}:/data:ro`])
      return {
        'a folder below a writable one is mounted': isNested,
        'reads through a link that another server made': fromNeighbour,
        'reads through it after an edit of something else': afterEdit,
        'reads through a link that it made itself':
          isNested && (await readsAfterRestart(captive, 'nested', () => captive.run(...swap('/proj', theirs)))),
      }
    },
  })
})

/** Reports that it ran, and becomes the program that it should start. */
const IMPOSTOR = `#!/bin/sh
echo ran > /proj/ran
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`

/** Below a folder of the server, so that the server can move the folder that contains the mount. */
const PLACE = '/proj/a/tools'

describe.each(attackedPlatforms('mounts').filter((kind) => kind !== 'process'))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('a server that leads a mount of its own over ours', {
    defence: 'the look at the places of mounts, and a place of ours that nobody can know',
    weaknesses: [{ file: CHECK, find: 'await refuseLinkedPlaces(host, mounts)', replace: '' }, KNOWN_PLACE, NO_LOOK],
    attack: async (build, context) => {
      const here = platform(context)
      await using shared = await makeSharedFolder()
      await using tools = await makeSharedFolder()
      await writeFile(join(tools.path, 'forwarder'), IMPOSTOR, { mode: 0o755 })
      const volumes = [`${shared.path}:/proj`, `${tools.path}:${PLACE}:ro`]
      for (const name of ['a', 'a/tools']) await mkdir(join(shared.path, name))
      await chmod(join(shared.path, 'a'), 0o777)
      const permission_profile = { network: { outbound: {} } }
      await using captive = await openCaptive(build, here, { volumes, permission_profile })
      const script = `const fs = require('node:fs'); fs.renameSync('/proj/a', '/proj/b'); fs.mkdirSync('/proj/a'); fs.symlinkSync('/.toolhaven', '${PLACE}')`
      await captive.run('node', '-e', script)
      await captive.daemon.api.call('restartWorkload', { params: { name: 'captive' } })
      await settled(captive, 'captive')
      return { 'its program runs in the place of ours': (await readdir(shared.path)).includes('ran') }
    },
  })
})

const sandbox = usePlatform('process')

// The runtime suite tests the same for engines: it replaces a mount at a known moment.
describeAttack('a link that comes and goes while a server is started', {
  defence: 'the look at what was mounted',
  weaknesses: [
    {
      file: 'packages/runtimes/src/process/spawn-bubblewrap.ts',
      find: 'verifyBinds(init, binds)',
      replace: 'verifyBinds(init, [])',
    },
  ],
  attack: async (build, context) => {
    await using scene = await setScene(build, sandbox(context))
    const { captive, theirs } = scene
    await settled(captive, 'neighbour')
    const start = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(FLICKER)}, '/proj', '${theirs}'], { detached: true, stdio: 'ignore' }).unref()`
    await captive.run('node', '-e', start)
    let isRead = false
    // The link has to be there between the check and the mount, which happens in about one of four rounds.
    for (let tries = 0; tries < 4 * TRIES && !isRead; tries += 1) {
      if (build === SHIPPED && tries === TRIES) break
      isRead = await readsAfterRestart(captive, 'neighbour')
    }
    return { 'reads what the link leads to': isRead }
  },
})
