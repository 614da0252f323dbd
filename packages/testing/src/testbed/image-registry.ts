import { execFile } from 'node:child_process'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../free-port.ts'
import { engineMust } from './engine-http.ts'
import type { Engine } from './engine.ts'
import { startService } from './service.ts'
import { Unavailable } from './unavailable.ts'

const PROGRAM = '/usr/bin/docker-registry'

export interface ImageRegistry extends AsyncDisposable {
  /** `127.0.0.1:PORT`, to put before a repository. Engines use plain HTTP with it. */
  host: string
}

/** A real registry on the loopback (Debian's docker-registry). With credentials, both pull and push need them. */
export async function startImageRegistry(credentials?: { username: string; password: string }): Promise<ImageRegistry> {
  await access(PROGRAM).catch(() => {
    throw new Unavailable('docker-registry is not installed (Debian package docker-registry)')
  })
  const folder = await mkdtemp(join(tmpdir(), 'thv-reg-'))
  const host = `127.0.0.1:${await freePort()}`
  const auth = credentials === undefined ? '' : `auth:\n  htpasswd:\n    realm: testbed\n    path: ${folder}/htpasswd\n`
  if (credentials !== undefined)
    await writeFile(join(folder, 'htpasswd'), `${credentials.username}:${await bcrypt(credentials.password)}\n`)
  const config = `version: 0.1\nlog:\n  level: warn\nstorage:\n  filesystem:\n    rootdirectory: ${folder}/data\nhttp:\n  addr: ${host}\n${auth}`
  await writeFile(join(folder, 'config.yml'), config)
  const service = await startService({
    command: PROGRAM,
    args: ['serve', join(folder, 'config.yml')],
    logFile: join(folder, 'registry.log'),
    isReady: () =>
      fetch(`http://${host}/v2/`).then(
        (response) => response.status === (credentials === undefined ? 200 : 401),
        () => false,
      ),
  })
  return {
    host,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Pushes what the engine has under `reference` to the registry that the reference names. */
export async function pushImage(
  engine: Engine,
  reference: string,
  credentials?: { username: string; password: string },
): Promise<void> {
  const [, repo = '', tag = ''] = /^(.*):([^:/]+)$/.exec(reference) ?? []
  await engineMust(engine.socketPath, 'POST', `/images/${repo}/push?tag=${tag}`, undefined, {
    // The URL-safe alphabet with padding.
    'x-registry-auth': Buffer.from(JSON.stringify(credentials ?? {}))
      .toString('base64')
      .replaceAll('+', '-')
      .replaceAll('/', '_'),
  })
}

/** libcrypt knows bcrypt, and perl is always there on Debian. */
async function bcrypt(password: string): Promise<string> {
  const { stdout } = await promisify(execFile)('perl', [
    '-e',
    'print crypt($ARGV[0], q($2y$05$abcdefghijklmnopqrstuu))',
    password,
  ])
  if (!stdout.startsWith('$2y$'))
    throw new Unavailable("this machine's libcrypt cannot make a bcrypt hash, which docker-registry needs")
  return stdout
}
