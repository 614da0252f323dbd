import { execFile } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startLoginProvider } from '@toolhaven/testing/testbed/login-provider'
import { startProtectedServer } from '@toolhaven/testing/testbed/protected-server'
import { until } from '@toolhaven/testing/testbed/until'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { type Target, openTarget } from '../src/attacks/target.ts'
import { makeHome } from '../src/home.ts'
import { socketOf } from '../src/socket-of.ts'

const NOBODY = { uid: 65_534, gid: 65_534 }

/** The result of a few lines of JavaScript run by an ordinary user of this machine. False when they throw. */
const asNobody = (script: string, ...args: string[]) => succeeds(NOBODY, script, ...args)

async function succeeds(user: object, script: string, ...args: string[]): Promise<boolean> {
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, ...args], {
    ...user,
    cwd: '/',
    env: {},
  })
  return run.then(
    () => true,
    () => false,
  )
}

const CALL = `const r = await fetch(process.argv[1]); if (r.status === 403) process.exit(1)`
const LIST = `import { readdirSync } from 'node:fs'; readdirSync(process.argv[1])`
const READ = `import { readFileSync } from 'node:fs'; readFileSync(process.argv[1])`
const KNOCK = `import { connect } from 'node:net'
  connect(process.argv[1]).on('connect', () => process.exit(0)).on('error', () => process.exit(1))`

/** Where the browser returns to from a pending login, with a code that is not the owner's. */
async function loginOf({ daemon }: Target, name: string): Promise<string | undefined> {
  const { status_context: context } = await daemon.api.call('getWorkload', { params: { name } })
  const address = URL.parse(/https?:\S+/.exec(context)?.[0] ?? '')
  const back = URL.parse(address?.searchParams.get('redirect_uri') ?? '')
  if (!address || !back) return undefined
  back.search = new URLSearchParams({ state: address.searchParams.get('state') ?? '', code: 'theirs' }).toString()
  return back.href
}

describeAttack('another user who calls the ports', {
  defence: 'the look at who owns the other end',
  weaknesses: [
    {
      file: 'apps/cli/src/daemon/peer-user.ts',
      find: ' && row.owner === uid',
      replace: '',
    },
  ],
  attack: async (build, context) => {
    if (process.getuid?.() !== 0) context.skip('becoming another user needs root')
    await using target = await openTarget(build)
    await using provider = await startLoginProvider()
    await using server = await startProtectedServer(provider)
    await target.daemon.api.call('createWorkload', { body: { name: 'far', url: server.url, accept_network: true } })
    const login = await until('the login to be waited for', () => loginOf(target, 'far'))
    return {
      'lists the workloads': await asNobody(CALL, `${target.daemon.baseUrl}/api/v1beta/workloads`),
      'asks the API how it is': await asNobody(CALL, `${target.daemon.baseUrl}/health`),
      'asks a workload how it is': await asNobody(CALL, `http://127.0.0.1:${target.port}/health`),
      'ends the login of another': await asNobody(CALL, login),
    }
  },
})

describeAttack('root, who calls the ports of an ordinary user', {
  defence: 'the look at who owns the other end',
  weaknesses: [{ file: 'apps/cli/src/daemon/peer-user.ts', find: ' && row.owner === uid', replace: '' }],
  attack: async (build, context) => {
    if (process.getuid?.() !== 0) context.skip('a daemon of another user needs root')
    // An id that nobody has on this machine, and not the one for unknown users.
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' }, user: { uid: 54_321, gid: 54_321 } })
    await using daemon = await build.start(home)
    if (!(await canCall(home.user ?? {}, daemon.baseUrl))) throw new Error('the user cannot call their own daemon')
    return {
      'lists the workloads': await canCall({ uid: 0, gid: 0 }, `${daemon.baseUrl}/api/v1beta/workloads`),
      'asks the API how it is': await canCall({ uid: 0, gid: 0 }, `${daemon.baseUrl}/health`),
    }
  },
})

const canCall = (user: object, url: string) => succeeds(user, CALL, url)

describeAttack('another user who opens the files', {
  defence: 'the mode of folders and files',
  weaknesses: [
    {
      file: 'packages/stores/src/files/private-folder.ts',
      find: 'if ((found.mode & 0o077) !== 0) await chmod(dir, 0o700)',
      replace: 'await chmod(dir, 0o755)',
    },
    {
      file: 'packages/stores/src/files/atomic-write.ts',
      find: 'const mode = ',
      replace: 'const mode = 0o644, _asked = ',
    },
    { file: 'apps/cli/src/daemon/listen.ts', find: 'await chmod(path, 0o600)', replace: 'await chmod(path, 0o666)' },
  ],
  attack: async (build, context) => {
    if (process.getuid?.() !== 0) context.skip('becoming another user needs root')
    await using target = await openTarget(build)
    const { home } = target
    // Like an ordinary home folder, which others may pass through.
    for (const folder of ['.', 'home', 'run', 'state']) await chmod(join(home.dir, folder), 0o755)
    return {
      'lists the state folder': await asNobody(LIST, home.stateDir),
      'reads a workload': await asNobody(READ, join(home.stateDir, 'workloads', 'target.json')),
      'opens the socket': await asNobody(KNOCK, await socketOf(home)),
    }
  },
})
