import type { OwnFolder } from '@toolhaven/contract/own-folder'
import { invalid } from '@toolhaven/core/errors'
import { type Caller, absolutePath } from './host-paths.ts'
import type { RunFlags } from './run-flags.ts'

type FolderFlags = Pick<RunFlags, 'folder' | 'write' | 'watch'>

/** Matches `./server`, `../server`, `/srv/server`, `~/server` and `.`. No other kind of server looks like this. */
export const isFolder = (server: string) => /^(?:\.{0,2}\/|~\/|\.{1,2}$|~$)/.test(server)

/** The folder that the command names, and the arguments of its server; undefined if it names no folder. */
export function folderOf(
  caller: Caller,
  words: readonly string[],
  { folder: named, write, watch }: FolderFlags,
): { folder: OwnFolder; args: readonly string[] } | undefined {
  const [server = '', ...args] = words
  const how = { ...(write && { write }), ...(watch && { watch }) }
  if (named !== undefined) {
    if (isFolder(server) && words.length === 1)
      throw invalid(`the folder is given twice\nUse --folder ${named}, or ${server} alone.`)
    const command = words.length > 0 ? { command: [...words] } : {}
    return { folder: { path: absolutePath(caller, named), ...command, ...how }, args: [] }
  }
  if (isFolder(server)) return { folder: { path: absolutePath(caller, server), ...how }, args }
  if (write || watch)
    throw invalid(`--${write ? 'write' : 'watch'} needs a server in a folder, such as "thv run ./server"`)
  return undefined
}
