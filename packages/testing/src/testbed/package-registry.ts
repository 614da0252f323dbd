import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'

export interface PackageRegistry extends AsyncDisposable {
  /** `http://HOST:PORT/`, for npm's `registry` setting. */
  url: string
  port: number
  /** Paths that were requested so far, oldest first. */
  requests: string[]
  /** Adds a package, or a further version of one, which then is the newest. */
  publish: (folder: string) => Promise<void>
}

/**
 * An npm registry on the loopback with the packages of the given folders (each has a package.json). Among several
 * versions of one package the last is the newest. With a token, callers must send it as a bearer token.
 */
export async function startPackageRegistry(
  folders: readonly string[],
  options: { token?: string; host?: string; beforeTarball?: (path: string) => Promise<void> } = {},
): Promise<PackageRegistry> {
  const packages: Packages = new Map()
  const add = (packed: Packed) => {
    const { name } = packed.manifest
    packages.set(name, [...(packages.get(name) ?? []), packed])
  }
  for (const packed of await Promise.all(folders.map(pack))) add(packed)
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`) {
      response.writeHead(401).end()
      return
    }
    const { url = '' } = request
    const ready = url.endsWith('.tgz') ? options.beforeTarball?.(url) : undefined
    void Promise.resolve(ready).then(() => answer(packages, request, response))
  })
  const host = options.host ?? '127.0.0.1'
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    url: `http://${host}:${address.port}/`,
    port: address.port,
    requests,
    publish: async (folder) => add(await pack(folder)),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const manifestSchema = z.looseObject({ name: z.string(), version: z.string() })
type Packed = { manifest: z.infer<typeof manifestSchema>; tarball: Buffer }

async function pack(folder: string): Promise<Packed> {
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
  const target = await mkdtemp(join(tmpdir(), 'thv-pack-'))
  try {
    const { stdout } = await promisify(execFile)(
      'npm',
      ['pack', '--silent', '--ignore-scripts', '--pack-destination', target],
      { cwd: folder },
    )
    const file = stdout.trim().split('\n').at(-1) ?? ''
    return { manifest, tarball: await readFile(join(target, file)) }
  } finally {
    await rm(target, { recursive: true, force: true })
  }
}

/** By name, the newest version last. */
type Packages = Map<string, Packed[]>

function answer(packages: Packages, request: IncomingMessage, response: ServerResponse): void {
  const path = decodeURIComponent((request.url ?? '/').slice(1).split('?')[0] ?? '')
  const [, name = path, file] = /^(.+)\/-\/([^/]+\.tgz)$/.exec(path) ?? []
  const versions = packages.get(name) ?? []
  if (file !== undefined) {
    const found = versions.find((_, at) => fileOf(versions, at) === file)
    if (found) response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found.tarball)
    else response.writeHead(404).end()
    return
  }
  const newest = versions.at(-1)
  if (newest === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}')
    return
  }
  const told = versions.map(({ manifest, tarball }, at) => {
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    // The address that the caller used: inside a container it differs from ours.
    const url = `http://${request.headers.host ?? ''}/${name}/-/${fileOf(versions, at)}`
    return [manifest.version, { ...manifest, dist: { tarball: url, integrity } }] as const
  })
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ name, 'dist-tags': { latest: newest.manifest.version }, versions: Object.fromEntries(told) }))
}

/** Most packages have one version, whose file has a name that tests can wait for. */
const fileOf = (versions: readonly Packed[], at: number) =>
  at === 0 ? 'package.tgz' : `package-${versions[at]?.manifest.version}.tgz`
