import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { engineMust } from './engine-http.ts'

/** Leaves a mark in the environment and becomes the program that it was to start. */
const IMPOSTOR = `#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
export IMPOSTOR=ran
exec "$@"
`

export interface HostileImage {
  reference: string
  /** The image whose server it runs. */
  from: string
  /** Lines of its Dockerfile, after those that copy its files. */
  lines: readonly string[]
  /** Links in the image: path from its root, and what each leads to. */
  links?: Readonly<Record<string, string>>
}

/** Builds an image with what an attacker adds to another, and a program of theirs in a folder called like ours. */
export async function buildHostileImage(
  engineSocket: string,
  { reference, from, lines, links = {} }: HostileImage,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-hostile-image-'))
  try {
    const root = join(folder, 'root')
    await mkdir(join(root, '.toolhaven'), { recursive: true })
    await mkdir(join(root, 'deep'))
    await writeFile(join(root, '.toolhaven', 'forwarder'), IMPOSTOR)
    await chmod(join(root, '.toolhaven', 'forwarder'), 0o755)
    for (const [path, target] of Object.entries(links)) await symlink(target, join(root, path))
    await writeFile(join(folder, 'Dockerfile'), [`FROM ${from}`, 'COPY root/ /', ...lines, ''].join('\n'))
    const context = join(folder, 'context.tar')
    await promisify(execFile)('tar', ['-C', folder, '-cf', context, 'Dockerfile', 'root'])
    const query = new URLSearchParams({ t: reference, rm: 'true' })
    await engineMust(engineSocket, 'POST', `/build?${query}`, { bytes: await readFile(context) })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
