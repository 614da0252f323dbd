import { once } from 'node:events'
import { link as hardLink, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
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
      file: 'packages/core/src/workloads/config/check-mounts.ts',
      find: 'const exposed = await host.exposedBy(found)',
      replace: 'const exposed = undefined',
    },
  ],
  attack: async (build) => {
    await using elsewhere = await makeSharedFolder()
    const at = (...parts: string[]) => join(elsewhere.path, ...parts)
    for (const folder of ['real-cache/toolhaven', 'engine/deep', 'context/run', 'project'])
      await mkdir(at(folder), { recursive: true })
    await symlink(at('real-cache'), at('cache'))
    const engine = at('engine', 'deep', 'e.sock')
    const env = { DOCKER_HOST: `unix://${engine}`, DOCKER_CONFIG: at('docker'), XDG_CACHE_HOME: at('cache') }
    const registry = { npm_config_registry: 'http://127.0.0.1:9' }
    await using home = await makeHome({ env: { THV_RUNTIME: 'process', ...registry, ...env } })
    await using daemon = await build.start(home)
    const link = join(home.dir, 'link')
    await symlink('/', link)
    await mkdir(join(home.dir, 'config', 'toolhaven'), { recursive: true })
    const socket = at('any.sock')
    const servers = [socket, engine].map((path) => createServer().listen(path))
    await Promise.all(servers.map((server) => once(server, 'listening')))
    await hardLink(engine, at('project', 'second-name'))
    await mkdir(at('docker', 'contexts', 'meta', 'other'), { recursive: true })
    const context = { Endpoints: { docker: { Host: `unix://${at('context', 'run', 'docker.sock')}` } } }
    await writeFile(at('docker', 'contexts', 'meta', 'other', 'meta.json'), JSON.stringify(context))
    await writeFile(join(home.stateDir, 'precious'), '')
    await hardLink(join(home.stateDir, 'precious'), at('second-file'))
    await mkdir(join(home.dir, 'run', 'podman'))
    const mounts = {
      'the root': '/',
      'the root in a roundabout way': '/usr/..',
      'a link to the root': link,
      'a folder above the state': home.dir,
      'the state': home.stateDir,
      'the configuration': join(home.dir, 'config', 'toolhaven'),
      'a socket': socket,
      'a folder of Toolhaven by its real path': at('real-cache', 'toolhaven'),
      'a folder above it': at('real-cache'),
      'a file of Toolhaven by a second name': at('second-file'),
      'the socket of DOCKER_HOST': engine,
      'the folder of that socket': at('engine', 'deep'),
      'a folder further up': at('engine'),
      'a folder with a second name of that socket': at('project'),
      'the folder of the socket of a context': at('context', 'run'),
      "the folder of rootless Podman's socket": join(home.dir, 'run', 'podman'),
      'what the kernel shows of processes': '/proc',
      'a part of it': '/proc/self/root',
      'what the kernel shows of itself': '/sys/kernel',
      'the devices': '/dev',
      'a device': '/dev/null',
    }
    const gains: Record<string, boolean> = {}
    for (const [at, [what, path]] of Object.entries(mounts).entries()) {
      const body = { name: `mount-${at}`, image: 'npx://x@1.0.0', volumes: [`${path}:/stolen`] }
      const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      gains[`${what} is mounted`] = (await rawCall(daemon, '/api/v1beta/workloads', call)).status === 201
    }
    for (const server of servers) server.close()
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
