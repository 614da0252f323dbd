import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, glob, mkdir, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { fromCache } from '../cache.ts'
import type { Engine } from './engine.ts'
import { engineHttp, engineMust } from './engine-http.ts'
import { addFile, addLibraries, addLink, addPrograms, addSystem } from './rootfs.ts'
import { Unavailable } from './unavailable.ts'

const run = promisify(execFile)
const SYSTEM_CA = '/etc/ssl/certs/ca-certificates.crt'

export type BaseImage = 'node' | 'python' | 'golang'

/** Under the names that package builds start from by default. */
const IMAGES = {
  node: {
    reference: 'docker.io/library/node:24-slim',
    recipe: makeNode,
    versions: npmVersion,
    changes: ['CMD ["node"]'],
  },
  python: {
    reference: 'docker.io/library/python:3.13-slim',
    recipe: makePython,
    versions: systemVersions,
    changes: ['CMD ["python3"]'],
  },
  golang: {
    reference: 'docker.io/library/golang:1.25',
    recipe: makeGo,
    versions: goVersion,
    changes: ['ENV GOPATH=/go', 'ENV GOTOOLCHAIN=local'],
  },
} as const

/**
 * Puts base images made from this machine's own files into an engine, so no image registry is needed. The file systems
 * are cached between runs. Throws `Unavailable` with the reason where the machine lacks the program.
 */
export async function buildBaseImages(engine: Engine, which: readonly BaseImage[]): Promise<void> {
  for (const name of which) {
    const { reference, changes } = IMAGES[name]
    const present = await engineHttp(engine.socketPath, 'GET', `/images/${reference}/json`)
    if (present.status === 200) continue
    const path = '/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    await importImage(engine, await rootfs(name), { reference, changes: [`ENV PATH=${path}`, ...changes] })
  }
}

export async function importImage(
  engine: Engine,
  tarFile: string,
  image: { reference: string; changes: readonly string[] },
): Promise<void> {
  const query = new URLSearchParams({ fromSrc: '-', repo: image.reference })
  for (const change of image.changes) query.append('changes', change)
  await engineMust(engine.socketPath, 'POST', `/images/create?${query}`, { file: tarFile })
}

/** The image's file system as an archive, from the cache or made now. */
async function rootfs(name: BaseImage): Promise<string> {
  const recipe = await readFile(fileURLToPath(import.meta.url), 'utf8')
  const tools = await readFile(fileURLToPath(new URL('rootfs.ts', import.meta.url)), 'utf8')
  const key = createHash('sha256')
    .update(JSON.stringify([recipe, tools, process.version, process.arch, await IMAGES[name].versions()]))
    .digest('hex')
    .slice(0, 16)
  return fromCache({ kind: `image-${name}`, key }, async (archive) => {
    const root = `${archive}.root`
    await mkdir(root)
    await IMAGES[name].recipe(root)
    await run('tar', ['-C', root, '--owner=0', '--group=0', '-cf', archive, '.'])
  })
}

/** What the images take from this machine besides our own Node: a newer package must not get an older image. */
async function systemVersions(): Promise<string> {
  const packages = ['libc6', 'libstdc++6', 'coreutils', 'dash', 'ca-certificates', 'python3*', 'libpython3*']
  const installed = await run('dpkg-query', ['-W', ...packages]).catch(() => ({ stdout: '' }))
  return installed.stdout
}

async function makeNode(root: string): Promise<void> {
  await addSystem(root)
  await addFile(root, await realpath(process.execPath), '/usr/local/bin/node')
  await addLibraries(root, [process.execPath])
  const npm = dirname(dirname(await realpath(await which('npm'))))
  await addFile(root, npm, '/usr/local/lib/node_modules/npm')
  for (const name of ['npm', 'npx'])
    await addLink(root, `../lib/node_modules/npm/bin/${name}-cli.js`, `/usr/local/bin/${name}`)
}

async function npmVersion(): Promise<string> {
  const npm = dirname(dirname(await realpath(await which('npm'))))
  return `${await systemVersions()} ${await readFile(join(npm, 'package.json'), 'utf8')}`
}

async function makePython(root: string): Promise<void> {
  await addSystem(root)
  const python = await realpath('/usr/bin/python3').catch(() => {
    throw new Unavailable('no /usr/bin/python3 on this machine (Debian package python3)')
  })
  const library = join('/usr/lib', basename(python))
  for (const path of [library, join(library, 'ensurepip/__init__.py'), '/usr/share/python-wheels']) {
    if (!(await exists(path)))
      throw new Unavailable(`no ${path} on this machine (Debian packages python3-venv, python3-pip-whl)`)
  }
  await addPrograms(root, [python])
  await addLink(root, basename(python), '/usr/bin/python3')
  await addFile(root, library, library)
  await addFile(root, '/usr/share/python-wheels', '/usr/share/python-wheels')
  const modules: string[] = []
  for await (const file of glob(`${library}/lib-dynload/*.so`)) modules.push(file)
  await addLibraries(root, modules)
}

async function goVersion(): Promise<string> {
  const go = await which('go').catch(() => undefined)
  return `${await systemVersions()} ${go === undefined ? '' : (await run(go, ['version'])).stdout}`
}

async function makeGo(root: string): Promise<void> {
  const go = await which('go').catch(() => {
    throw new Unavailable('no Go toolchain on this machine')
  })
  const { stdout } = await run(go, ['env', 'GOROOT'])
  await addSystem(root)
  for (const part of ['bin', 'pkg', 'src', 'lib', 'go.env', 'VERSION']) {
    const path = join(stdout.trim(), part)
    if (await exists(path)) await addFile(root, path, `/usr/local/go/${part}`)
  }
  await addLibraries(root, [go])
  await addFile(root, SYSTEM_CA, SYSTEM_CA)
}

async function which(program: string): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(':')) {
    const path = join(folder, program)
    if (await exists(path)) return path
  }
  throw new Unavailable(`${program} is not on the PATH`)
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
