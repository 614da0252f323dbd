import type { OwnFolder } from '@toolhaven/contract/own-folder'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { invalid } from '@toolhaven/core/errors'
import { type Caller, absolutePath } from '../run/host-paths.ts'
import type { EditFlags } from './edit-flags.ts'

/** The changes to the server's own folder. Words after `--` are its command if `thv run` would treat them that way. */
export function folderEdit(
  caller: Caller,
  { name, folder: before }: Pick<CreateRequest, 'name' | 'folder'>,
  args: readonly string[],
  { folder: path, write, watch }: Pick<EditFlags, 'folder' | 'write' | 'watch'>,
): { folder?: OwnFolder; cmd_arguments?: string[] } {
  const flag = path !== undefined ? '--folder' : write ? '--write' : watch ? '--watch' : undefined
  const isCommand = args.length > 0 && (path !== undefined || before?.command !== undefined)
  if (flag === undefined && !isCommand) return args.length > 0 ? { cmd_arguments: [...args] } : {}
  if (before === undefined)
    throw invalid(
      `${flag} is for your own server in a folder, and ${name} runs from none; run yours as a workload of its own, such as thv run ./server`,
    )
  return {
    folder: {
      ...before,
      ...(path !== undefined && { path: absolutePath(caller, path) }),
      ...(isCommand && { command: [...args] }),
      ...(write && { write }),
      ...(watch && { watch }),
    },
    ...(args.length > 0 && !isCommand && { cmd_arguments: [...args] }),
  }
}
