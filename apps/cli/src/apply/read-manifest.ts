import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Manifest } from '@toolhaven/contract/manifest'
import { invalid } from '@toolhaven/core/errors'
import { parseManifest } from '@toolhaven/stores/manifest/parse-manifest'
import type { Context } from '../context.ts'
import { absoluteVolume } from '../run/host-paths.ts'
import { clientFileHint, clientTextHint } from '../run/client-file-hint.ts'
import { readProblem } from '../output/read-problem.ts'
import { homeDirOf } from '../home-dir.ts'

/** Reads the file, or standard input for `-`. Paths in it are relative to its folder. */
export async function readManifest({ cwd, env }: Pick<Context, 'cwd' | 'env'>, file: string): Promise<Manifest> {
  const isPipe = file === '-'
  const name = isPipe ? 'the input' : file
  const content = isPipe ? await text(process.stdin) : await readText(cwd, file)
  refuseOtherFiles(content, name)
  const manifest = parseManifest(content, name)
  const folder = isPipe ? cwd : dirname(resolve(cwd, file))
  const caller = { cwd: folder, homeDir: homeDirOf(env) }
  const localPath = manifest.registry?.local_path
  return {
    ...manifest,
    ...(localPath !== undefined && {
      registry: { ...manifest.registry, local_path: absoluteVolume(caller, localPath) },
    }),
    workloads: manifest.workloads.map((workload) => ({
      ...workload,
      ...(workload.volumes && { volumes: workload.volumes.map((volume) => absoluteVolume(caller, volume)) }),
    })),
  }
}

const COMPOSE =
  'It is a file of Docker Compose. Write "format: 1" and "workloads:", with "- name: NAME" and "image: IMAGE" for each service. ' +
  '"thv apply --help" shows a small file.'

/** Each of their fields would be told as a fault. */
function refuseOtherFiles(content: string, name: string): void {
  if (/^\s*"?format"?\s*:/m.test(content)) return
  const hint = /^services:/m.test(content) ? COMPOSE : hintOf(content)
  if (hint !== undefined) throw invalid(`${name} is not a file of "thv apply"; nothing was changed\n${hint}`)
}

function hintOf(content: string): string | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(content)
  } catch {
    return clientTextHint(content)
  }
  return clientFileHint(parsed)
}

async function readText(cwd: string, file: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8')
  } catch (error) {
    const hint = 'Name the file with -f FILE; "thv apply --help" shows a small one.'
    throw invalid(`${file} cannot be read: ${readProblem(error)}\n${hint}`, error)
  }
}
