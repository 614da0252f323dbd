import { mkdir, readdir, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { makeSharedFolder } from '../src/attacks/captive.ts'
import { makeHome } from '../src/home.ts'
import { usePlatform } from '../src/platform.ts'
import { rawCall } from '../src/raw-call.ts'
import { until } from '@toolhaven/testing/testbed/until'

describeAttack('a mount that gives the machine away', {
  defence: 'the judgement of what may be mounted',
  weaknesses: [
    {
      file: 'packages/core/src/workloads/check-config.ts',
      find: 'if (isPrivileged) return found.path',
      replace: 'if (found) return found.path',
    },
  ],
  attack: async (build) => {
    await using home = await makeHome({ env: { THV_RUNTIME: 'process', npm_config_registry: 'http://127.0.0.1:9' } })
    await using daemon = await build.start(home)
    const link = join(home.dir, 'link')
    await symlink('/', link)
    await mkdir(join(home.dir, 'config', 'toolhaven'), { recursive: true })
    const socket = join(home.dir, 'engine.sock')
    const server = createServer().listen(socket)
    const mounts = {
      'the root': '/',
      'the root in a roundabout way': '/usr/..',
      'a link to the root': link,
      'a folder above the state': home.dir,
      'the state': home.stateDir,
      'the configuration': join(home.dir, 'config', 'toolhaven'),
      'a socket': socket,
    }
    const gains: Record<string, boolean> = {}
    for (const [at, [what, path]] of Object.entries(mounts).entries()) {
      const body = { name: `mount-${at}`, image: 'npx://x@1.0.0', volumes: [`${path}:/stolen`] }
      const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      gains[`${what} is mounted`] = (await rawCall(daemon, '/api/v1beta/workloads', call)).status === 201
    }
    server.close()
    return gains
  },
})

const platform = usePlatform('process')

describeAttack('arguments that are commands to a shell', {
  defence: 'starting programs without a shell',
  weaknesses: [
    {
      file: 'packages/runtimes/src/process/spawn-bubblewrap.ts',
      find: "[bwrap, '--args', String(ARGS), '--', program, ...args]",
      replace: "[bwrap, '--args', String(ARGS), '--', '/bin/sh', '-c', [program, ...args].join(' ')]",
    },
  ],
  attack: async (build, context) => {
    const here = platform(context)
    await using folder = await makeSharedFolder()
    await using home = await here.makeHome()
    await using daemon = await build.start(home)
    const cmd_arguments = ['$(touch /shared/substituted)', '`touch /shared/quoted`', '|touch', '/shared/piped']
    const body = { name: 'shell', image: here.fixture, cmd_arguments, volumes: [`${folder.path}:/shared`] }
    await daemon.api.call('createWorkload', { body })
    await until(
      'the server to run, or not',
      async () => {
        const { status } = await daemon.api.call('getWorkload', { params: { name: 'shell' } })
        return ['running', 'error', 'unhealthy'].includes(status)
      },
      90_000,
    )
    const made = await readdir(folder.path)
    return Object.fromEntries(['substituted', 'quoted', 'piped'].map((name) => [name, made.includes(name)]))
  },
})
