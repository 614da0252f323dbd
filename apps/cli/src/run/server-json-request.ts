import { stat } from 'node:fs/promises'
import { invalid } from '@toolhaven/core/errors'
import { isFolder } from './folder-request.ts'
import { type Caller, absolutePath } from './host-paths.ts'
import { readJsonObject } from './read-json-object.ts'
import type { RunFlags } from './run-flags.ts'
import { clientFileHint } from './client-file-hint.ts'

/** The contents of a server.json of the MCP registry, if the command names one, such as `./server.json`. The daemon checks it. */
export async function serverJsonOf(
  caller: Caller,
  server: string,
  { folder, write, watch }: Pick<RunFlags, 'folder' | 'write' | 'watch'>,
): Promise<object | undefined> {
  if (folder !== undefined || !server.endsWith('.json')) return undefined
  const path = absolutePath(caller, server)
  const found = await stat(path).catch(() => undefined)
  // A bare name means a file if the file exists, and a registry entry otherwise.
  if (found?.isDirectory() || (found === undefined && !isFolder(server))) return undefined
  if (write || watch)
    throw invalid(`--${write ? 'write' : 'watch'} works only for a server in a folder, and ${server} is a file`)
  const content = await readJsonObject(caller.cwd, 'the file', path)
  // The response of a registry's API contains the file.
  const file: unknown = 'server' in content ? content.server : content
  if (typeof file === 'object' && file !== null && ('packages' in file || 'remotes' in file)) {
    if (isOld(file))
      throw invalid(`${server} has an older format of server.json\nUse the newest file from its publisher.`)
    return file
  }
  throw invalid(`${server} is not a server.json of the MCP registry\n${hintFor(content)}`)
}

/** Older files write `registry_type`, newer ones `registryType`. */
function isOld(file: object): boolean {
  const { packages, remotes } = Object(file)
  return /"(?:registry_type|registry_name|transport_type)":/.test(JSON.stringify([packages, remotes]))
}

function hintFor(content: object): string {
  if ('schema_version' in content) return 'It is a run configuration. Run it with "thv run --from-config FILE".'
  if ('scripts' in content || 'dependencies' in content)
    return 'It is the package.json of a project. Run the folder of the project: "thv run FOLDER".'
  return clientFileHint(content) ?? 'A server.json names the packages or remotes of one server.'
}
