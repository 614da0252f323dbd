import { Command } from 'commander'
import { VERSION } from '../version.ts'

export function versionCommand(): Command {
  return new Command('version')
    .description('Prints the version')
    .exitOverride()
    .action(() => void process.stdout.write(`thv ${VERSION}\n`))
}
