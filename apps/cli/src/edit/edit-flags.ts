import type { FlagDef, FlagValues } from '../command.ts'
import { RUN_FLAGS, type RunFlags } from '../run/run-flags.ts'

const { name: _name, proxyPort: _port, fromConfig: _file, acceptSecrets: _secrets, ...OTHERS } = RUN_FLAGS
const { keep: _keep, ...RUN_FLAGS_THAT_CHANGE } = OTHERS

/** The flags of `thv run` that can change later. */
export const EDIT_FLAGS = {
  server: {
    type: 'text',
    value: 'server',
    summary: 'run this server or version instead, written as for "thv run"',
    completes: 'server',
  },
  unset: {
    type: 'list',
    value: 'option[=key]',
    summary: 'remove an option, such as memory, or one of its entries, such as env=API_KEY; may be repeated',
  },
  ...RUN_FLAGS_THAT_CHANGE,
  folder: { ...RUN_FLAGS.folder, summary: 'folder with your own server; -- COMMAND says how to start it' },
  dryRun: { type: 'boolean', summary: 'show what would change or be refused, and change nothing' },
  yes: { type: 'boolean', short: 'y', summary: 'do not ask' },
} as const satisfies Record<string, FlagDef>

export type EditFlags = FlagValues<typeof EDIT_FLAGS>

export function asRunFlags(flags: EditFlags): RunFlags {
  const { server: _server, unset: _unset, dryRun: _dryRun, yes: _yes, ...rest } = flags
  return { ...rest, name: undefined, proxyPort: undefined, fromConfig: undefined, keep: false, ...NOT_EDITED }
}

// A change of the folder depends on its present state.
const NOT_EDITED = { folder: undefined, write: false, watch: false, acceptSecrets: false } as const
