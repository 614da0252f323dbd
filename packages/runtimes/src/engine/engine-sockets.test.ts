import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { engineSockets } from './engine-sockets.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'thv-sockets-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const found = (env: Record<string, string>) => engineSockets({ env, homeDir: root, platform: 'linux', uid: 1000 })

test('sockets of all known engines count, whether they are there or not', async () => {
  expect(await found({})).toEqual(
    expect.arrayContaining([
      '/var/run/docker.sock',
      '/run/docker.sock',
      '/run/podman/podman.sock',
      '/run/containerd/containerd.sock',
      '/run/crio/crio.sock',
      '/run/user/1000/docker.sock',
      '/run/user/1000/podman/podman.sock',
      join(root, '.docker/desktop/docker.sock'),
    ]),
  )
  expect(await found({ XDG_RUNTIME_DIR: '/elsewhere' })).toEqual(
    expect.arrayContaining(['/elsewhere/podman/podman.sock', '/run/user/1000/podman/podman.sock']),
  )
  expect(await found({ XDG_RUNTIME_DIR: '' })).toContain('/run/user/1000/podman/podman.sock')
})

test('sockets of every Colima profile count', async () => {
  await mkdir(join(root, '.colima', 'work'), { recursive: true })
  expect(await found({})).toContain(join(root, '.colima', 'work', 'docker.sock'))
})

test('sockets that the environment names count', async () => {
  const env = {
    DOCKER_HOST: 'unix:///srv/one.sock',
    CONTAINER_HOST: 'unix:///srv/two.sock',
    CONTAINERD_ADDRESS: '/srv/three.sock',
  }
  expect(await found(env)).toEqual(expect.arrayContaining(['/srv/one.sock', '/srv/two.sock', '/srv/three.sock']))
  const others = await found({ DOCKER_HOST: 'tcp://127.0.0.1:2375', CONTAINER_HOST: 'nonsense' })
  expect(others.every((path) => path.startsWith('/'))).toBe(true)
})

test('sockets of every Docker context count, also where another one is broken', async () => {
  const meta = async (name: string, text: string) => {
    await mkdir(join(root, 'docker', 'contexts', 'meta', name), { recursive: true })
    await writeFile(join(root, 'docker', 'contexts', 'meta', name, 'meta.json'), text)
  }
  await meta('a', JSON.stringify({ Endpoints: { docker: { Host: 'unix:///srv/context.sock' } } }))
  await meta('b', '{')
  expect(await found({ DOCKER_CONFIG: join(root, 'docker') })).toContain('/srv/context.sock')
})

test('a folder for temporary files counts only when a socket is there', async () => {
  const socket = join(root, 'podman', 'podman-machine-default-api.sock')
  expect(await found({ TMPDIR: root })).not.toContain(socket)
  await mkdir(join(root, 'podman'))
  await writeFile(socket, '')
  expect(await found({ TMPDIR: root })).toContain(socket)
})
