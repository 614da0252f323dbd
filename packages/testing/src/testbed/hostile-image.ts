import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildImage } from './build-image.ts'

/** Leaves a mark in the environment and becomes the program that it should start. */
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
  /** Links in the image: path from its root, and the target of each. */
  links?: Readonly<Record<string, string>>
}

/** Builds an image with an attacker's additions, and the attacker's program in a folder with the name of Toolhaven's. */
export async function buildHostileImage(
  engineSocket: string,
  { reference, from, lines, links = {} }: HostileImage,
): Promise<void> {
  await buildImage(engineSocket, reference, async (folder) => {
    const root = join(folder, 'root')
    await mkdir(join(root, '.toolhaven'), { recursive: true })
    await mkdir(join(root, 'deep'))
    await writeFile(join(root, '.toolhaven', 'forwarder'), IMPOSTOR)
    await chmod(join(root, '.toolhaven', 'forwarder'), 0o755)
    for (const [path, target] of Object.entries(links)) await symlink(target, join(root, path))
    await writeFile(join(folder, 'Dockerfile'), [`FROM ${from}`, 'COPY root/ /', ...lines, ''].join('\n'))
  })
}
