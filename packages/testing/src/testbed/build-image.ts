import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { engineMust } from './engine-http.ts'

/** Builds an image as `docker build` does, from the folder that `fill` fills. */
export async function buildImage(
  engineSocket: string,
  reference: string,
  fill: (folder: string) => Promise<unknown>,
  buildArgs: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-image-'))
  try {
    await fill(folder)
    await buildFolder(engineSocket, reference, folder, buildArgs)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function buildFolder(
  engineSocket: string,
  reference: string,
  folder: string,
  buildArgs: Readonly<Record<string, string>> = {},
): Promise<void> {
  const archive = `${folder}.tar`
  try {
    await promisify(execFile)('tar', ['-C', folder, '-cf', archive, '.'])
    const query = new URLSearchParams({ t: reference, rm: 'true', buildargs: JSON.stringify(buildArgs) })
    await engineMust(engineSocket, 'POST', `/build?${query}`, { bytes: await readFile(archive) })
  } finally {
    await rm(archive, { force: true })
  }
}
