import { FORMAT_FLAG, defineCommand } from '../command.ts'
import { VERSION } from '../version.ts'

export const version = defineCommand({
  words: 'version',
  summary: 'Show the version of thv',
  flags: FORMAT_FLAG,
  examples: [{ command: 'thv version --format json', shows: 'as JSON' }],
  run: async ({ out }, { flags }) => {
    const platform = `${process.platform}-${process.arch}`
    if (flags.format === 'json') return out.json({ version: VERSION, node: process.version, platform })
    out.line(`thv ${VERSION} (${platform}, Node ${process.versions.node})`)
  },
})
