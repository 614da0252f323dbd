import type { OwnFolder } from '@toolhaven/contract/own-folder'
import { invalid } from '@toolhaven/core/errors'
import { type Caller, absolutePath } from './host-paths.ts'
import type { RunFlags } from './run-flags.ts'

type FolderFlags = Pick<RunFlags, 'folder' | 'write' | 'watch'>

/** `./server`, `../server`, `/srv/server`, `~/server` and `.`: no other kind of server is written so. */
export const isFolder = (server: string) => /^(?:\.{0,2}\/|~\/|\.{1,2}$|~$)/.test(server)

/** The folder that the line names, and the arguments of its server; undefined when it names none. */
export function folderOf(
  caller: Caller,
  words: readonly string[],
  { folder: named, write, watch }: FolderFlags,
): { folder: OwnFolder; args: readonly string[] } | undefined {
  const [server = '', ...args] = words
  const how = { ...(write && { write }), ...(watch && { watch }) }
  if (named !== undefined) {
    if (isFolder(server) && words.length === 1)
      throw invalid(`give the folder once: --folder ${named}, or ${server} alone`)
    const command = words.length > 0 ? { command: [...words] } : {}
    return { folder: { path: absolutePath(caller, named), ...command, ...how }, args: [] }
  }
  if (isFolder(server)) return { folder: { path: absolutePath(caller, server), ...how }, args }
  if (write || watch)
    throw invalid(
      `--${write ? 'write' : 'watch'} is for your own server in a folder; name one, such as thv run ./server`,
    )
  return undefined
}
