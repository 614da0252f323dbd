import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { workloadList } from '@toolhaven/contract/workloads'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { until } from '@toolhaven/testing/testbed/until'
import { packCli } from '../tools/pack-cli.ts'
import { bridgeOf } from './src/bridge-of.ts'
import { connectAs } from './src/connect-as.ts'
import { callText, connectMcp } from './src/mcp-client.ts'
import { neededPackages } from './src/needed-packages.ts'
import { type Platform, usePlatform } from './src/platform.ts'

const DOCKERFILE = fileURLToPath(new URL('../deploy/cli/Dockerfile', import.meta.url))
const IMAGE = 'toolhaven:test'

const platformOf = usePlatform('docker')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-image-'))
  return () => rm(folder, { recursive: true, force: true })
})

test('the image runs workloads of the engine whose socket it is given, and they outlive it', async (context) => {
  const platform = platformOf(context)
  const socket = platform.engine?.socketPath ?? ''
  const docker = dockerOf(socket)
  await buildImage(platform, docker)
  expect(await docker('run', '--rm', IMAGE, '--version')).toMatch(/^thv \d/)
  expect(await docker('run', '--rm', '--entrypoint', 'sh', IMAGE, '-c', 'ls -ldn $HOME')).toMatch(
    / 1000 1000 .* \/home/,
  )

  const group = String((await stat(socket)).gid)
  const started = [
    ...['run', '-d', '--network', 'host', '-v', `${socket}:/var/run/docker.sock`, '--group-add', group],
    ...['-v', 'state:/home/toolhaven', '--health-interval', '1s'],
  ]
  // The user of the image, as on most machines of one person. The daemon answers nobody else.
  await using _asUser = await connectAs({ uid: 1000, gid: 1000 })
  await docker(...started, '--name', 'first', IMAGE, 'serve', '--port', '0')
  await untilHealthy(docker, 'first')
  const running = await docker('exec', 'first', 'thv', 'run', platform.fixture, '--name', 'inside')
  const [, url = ''] = /^inside is running at (\S+)\n$/.exec(running) ?? []
  {
    await using connection = await connectMcp(url)
    expect(await callText(connection, 'add', { a: 20, b: 22 })).toBe('42')
  }
  const other = await docker('run', '--rm', '--volumes-from', 'first', IMAGE, 'list', '--format', 'json')
  expect(workloadList.parse(JSON.parse(other)).workloads).toMatchObject([{ name: 'inside', status: 'running', url }])

  await docker('stop', 'first')
  expect(await docker('inspect', '--format', '{{.State.ExitCode}}', 'first')).toBe('0\n')
  expect(await docker('ps', '--format', '{{.Names}}')).toContain('inside')
  await docker('rm', 'first')
  await docker(...started, '--name', 'second', IMAGE, 'serve', '--port', '0')
  await untilHealthy(docker, 'second')
  await using again = await connectMcp(url)
  expect(await callText(again, 'add', { a: 1, b: 2 })).toBe('3')
  expect(await docker('exec', 'second', 'thv', 'rm', 'inside')).toBe('inside is removed\n')
  await docker('rm', '--force', 'second')
})

test('without a socket it says what is missing', async (context) => {
  const platform = platformOf(context)
  const docker = dockerOf(platform.engine?.socketPath ?? '')
  await expect(docker('run', '--rm', IMAGE)).rejects.toMatchObject({
    code: 4,
    stderr: expect.stringContaining('Install Docker, Podman or bubblewrap'),
  })
})

type Docker = (...args: string[]) => Promise<string>

/** The classic builder, which every Docker has. */
function dockerOf(socket: string): Docker {
  const env = { ...process.env, DOCKER_HOST: `unix://${socket}`, DOCKER_BUILDKIT: '0', DOCKER_CONFIG: folder }
  return async (...args) => (await promisify(execFile)('docker', args, { env, timeout: 240_000 })).stdout
}

async function buildImage({ engine }: Platform, docker: Docker): Promise<void> {
  if (!engine) throw new Error('this platform has an engine')
  const packed = join(folder, 'packed')
  await packCli(packed)
  const needed = await neededPackages(join(packed, 'package'))
  await using registry = await startPackageRegistry(needed, { host: await bridgeOf(engine) })
  const args = ['--build-arg', `npm_config_registry=${registry.url}`, '--tag', IMAGE]
  await docker('build', '--file', DOCKERFILE, ...args, packed)
}

async function untilHealthy(docker: Docker, name: string): Promise<void> {
  const health = () => docker('inspect', '--format', '{{.State.Health.Status}}', name)
  await until(`${name} to be healthy`, async () => (await health()) === 'healthy\n', 90_000).catch(
    async (error: unknown) => {
      throw new Error(await docker('logs', name), { cause: error })
    },
  )
}
