import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type PackageRegistry, startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'

const SOURCE = fileURLToPath(new URL('../../native/echo-server.c', import.meta.url))
export const HTTP_ECHO = fileURLToPath(new URL('http-echo.mjs', import.meta.url))

/** The servers behind the programs under test: one on its pipes, one that listens. */
export interface EchoServers extends AsyncDisposable {
  /** The program of the first. */
  program: string
  /** For the daemon to run. */
  stdioImage: string
  httpImage: string
  registry: PackageRegistry
}

export async function makeEchoServers(within: string): Promise<EchoServers> {
  // Several benches of a run make them.
  const folder = await mkdtemp(join(within, 'echo-'))
  const stdio = await packageWith(folder, 'thv-bench-echo', 'echo-server', (file) =>
    promisify(execFile)('cc', ['-O2', '-o', file, SOURCE]),
  )
  const http = await packageWith(folder, 'thv-bench-http-echo', 'http-echo.mjs', (file) => copyFile(HTTP_ECHO, file))
  const registry = await startPackageRegistry([stdio.home, http.home])
  return {
    program: join(stdio.home, 'echo-server'),
    stdioImage: stdio.image,
    httpImage: http.image,
    registry,
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  }
}

async function packageWith(folder: string, name: string, file: string, write: (path: string) => Promise<unknown>) {
  const home = join(folder, name)
  await mkdir(home)
  await write(join(home, file))
  await chmod(join(home, file), 0o755)
  const manifest = { name, version: '1.0.0', bin: { [name]: `./${file}` }, files: [file] }
  await writeFile(join(home, 'package.json'), JSON.stringify(manifest))
  return { home, image: `npx://${name}@1.0.0` }
}
