import { execFile } from 'node:child_process'
import { chmod, chown, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { openCaptive } from '../src/attacks/captive.ts'
import { SHIPPED } from '../src/attacks/build.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { makeHome } from '../src/home.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { packagedFixture } from '../src/packaged-fixture.ts'
import { enginesInTurn, type Platform, usePlatform } from '../src/platform.ts'
import { untilStatus } from '../src/statuses.ts'

const SECRET = 'canary-of-the-environment'
/** The first person on most machines. */
const SOMEBODY = 1000

const inspected = z.looseObject({ State: z.looseObject({ Pid: z.int().positive() }) })

/** What a user of the machine reads from the processes of a workload. */
async function environmentSeenBy(uid: number, { engine }: Platform, name: string): Promise<string> {
  if (!engine) throw new Error('this platform has an engine')
  const container = inspected.parse(
    JSON.parse(await engineMust(engine.socketPath, 'GET', `/containers/thv-${name}/json`)),
  )
  const first = container.State.Pid
  const look = `for pid in ${first} $(cat /proc/${first}/task/${first}/children); do cat /proc/$pid/environ; done`
  const who = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', '--inh-caps=-all']
  const run = promisify(execFile)('setpriv', [...who, 'sh', '-c', look])
  return run.then(
    ({ stdout }) => stdout,
    (error: unknown) => (error instanceof Error && 'stdout' in error ? String(error.stdout) : ''),
  )
}

describe('on docker', () => {
  const platform = usePlatform('docker')
  describeAttack('another user with the id that servers from packages run as', {
    defence: 'an id that nobody has',
    weaknesses: [
      {
        file: 'packages/runtimes/src/engine/package-user.ts',
        find: 'export const UNUSED_ID = 2_000_000_000',
        replace: `export const UNUSED_ID = ${SOMEBODY}`,
      },
    ],
    attack: async (build, context) => {
      if (process.getuid?.() !== 0) context.skip('to be another user needs root')
      const engine = platform(context)
      await using captive = await openCaptive(build, engine)
      const { api } = captive.daemon
      const image = await packagedFixture(engine, captive.daemon)
      await api.call('createWorkload', { body: { name: 'packaged', image, env_vars: { SECRET } } })
      await untilStatus(captive.daemon, 'packaged', 'running')
      // Otherwise there is nothing to see for anybody.
      expect(await environmentSeenBy(0, engine, 'packaged')).toContain(SECRET)
      return {
        'the secrets of the server are read from /proc': (
          await environmentSeenBy(SOMEBODY, engine, 'packaged')
        ).includes(SECRET),
      }
    },
  })
})

describe.each(enginesInTurn())('on %s', (kind) => {
  const platform = usePlatform(kind)

  test('a server from a package writes to a mount as the daemon’s own user', async (context) => {
    if (process.getuid?.() !== 0) context.skip('a daemon of another user needs root')
    const found = platform(context)
    const { engine } = found
    if (!engine) throw new Error('this platform has an engine')
    await using stack = new AsyncDisposableStack()
    // On Docker, a user who may use its socket, as members of the group docker may.
    const owner = kind === 'podman' ? await stat(engine.socketPath) : { uid: 4711, gid: 4711 }
    const user = { uid: owner.uid, gid: owner.gid }
    if (kind === 'docker') {
      await chmod(dirname(engine.socketPath), 0o711)
      await chown(engine.socketPath, 0, user.gid)
    }
    const env = { THV_RUNTIME: kind, DOCKER_HOST: `unix://${engine.socketPath}` }
    const home = stack.use(await makeHome({ env, user }))
    const folder = await mkdtemp(join(tmpdir(), 'thv-mine-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    await chown(folder, user.uid, user.gid)
    await chmod(folder, 0o700)
    const daemon = stack.use(await SHIPPED.start(home))
    const image = await packagedFixture(found, daemon)
    await daemon.api.call('createWorkload', { body: { name: 'writer', image, volumes: [`${folder}:/mine`] } })
    await untilStatus(daemon, 'writer', 'running')
    const { url } = await daemon.api.call('getWorkload', { params: { name: 'writer' } })
    await using connection = await connectMcp(url)
    const write = `require('node:fs').writeFileSync('/mine/note', 'x'); console.log(require('node:os').userInfo().uid)`
    const said = await callText(connection, 'run', { command: ['node', '-e', write] })
    // Root of a rootless container is the user who runs it.
    expect(said.trim()).toBe(kind === 'podman' ? '0' : String(user.uid))
    const written = await stat(join(folder, 'note'))
    expect([written.uid, written.gid]).toEqual([user.uid, user.gid])
    await daemon.api.call('deleteWorkload', { params: { name: 'writer' } })
  })
})
