import { Command } from 'commander'
import { serveCommand } from './commands/serve.ts'
import { versionCommand } from './commands/version.ts'

/** The whole command tree, listed by hand. */
export function program(): Command {
  return new Command('thv')
    .description('Runs MCP servers in isolation and gives every AI client one safe way to reach them')
    .exitOverride()
    .showHelpAfterError('(add --help for what is possible)')
    .addCommand(serveCommand())
    .addCommand(versionCommand())
}
