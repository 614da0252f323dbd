import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const build = defineCommand({
  words: 'build',
  summary: 'Make a container image from a package',
  description:
    'Builds the container image of a package and prints its name. It needs a container engine. If an image ' +
    'from the same recipe exists, it is used again.\n\n' +
    'PACKAGE is npx://NAME, uvx://NAME or go://MODULE, with @VERSION for a version other than the newest.\n' +
    'With --dry-run or --output nothing is built, and no engine is needed: the Dockerfile is printed, or written together with the ' +
    'files that it copies, so that any builder can build the folder.',
  args: [{ name: 'package', summary: 'what to build', required: true }],
  flags: {
    tag: { type: 'text', short: 't', value: 'name', summary: 'name for the image, such as team/server:1.0' },
    output: { type: 'text', short: 'o', value: 'path', summary: 'only write the Dockerfile to this file or folder/' },
    installHost: {
      type: 'list',
      value: 'host',
      summary:
        'host that an install may reach besides the package index; a private host needs its port; may be repeated',
    },
    dryRun: { type: 'boolean', summary: 'only print the Dockerfile' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv build npx://@modelcontextprotocol/server-everything --dry-run', shows: 'the Dockerfile' },
    {
      command: 'thv build npx://@modelcontextprotocol/server-everything@1.0.0 --output image/',
      shows: 'a folder that any builder can build',
    },
    {
      command: 'thv build npx://@modelcontextprotocol/server-everything --tag everything:latest',
      shows: 'an image with that name',
    },
  ],
  run: async (context, { args: [reference = ''], flags }) => {
    const { buildImage, printRecipe } = await import('../build/build-image.ts')
    if (flags.dryRun || flags.output !== undefined) return printRecipe(context, reference, flags)
    await buildImage(context, reference, flags)
  },
})
