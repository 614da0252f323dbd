import type { CommandDef } from './command.ts'
import { serve } from './commands/serve.ts'
import { version } from './commands/version.ts'

/** The whole command tree, listed by hand; help, completion and the reference pages are made from it. */
export const COMMANDS: readonly CommandDef[] = [serve, version]

/** What stands in help for words that only hold other commands. */
export const GROUPS: Readonly<Record<string, string>> = {}
