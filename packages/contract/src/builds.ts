import * as z from 'zod'
import { installHosts } from './run-config.ts'
import { API_PREFIX, ok, type Routes } from './route.ts'
import { taskEvents, taskStream } from './tasks.ts'

const packageReference = z.string().min(1).max(400).meta({ description: 'npx://NAME, uvx://NAME or go://MODULE' })

export const buildRecipe = z
  .strictObject({
    package: z.string().meta({ description: 'With the exact version' }),
    image: z.string().meta({ description: 'Name that a build gives the image; equal recipes have equal names' }),
    base_image: z.string().meta({ description: 'Image that it is built on' }),
    dockerfile: z.string().meta({ description: 'The Dockerfile' }),
    files: z.record(z.string(), z.string()).meta({ description: 'The other files of the build context, by name' }),
  })
  .meta({ id: 'toolhaven.buildRecipe', description: 'How the image of a package is made' })
export type BuildRecipe = z.infer<typeof buildRecipe>

export const buildRequest = z
  .strictObject({
    package: packageReference,
    tag: z.string().min(1).max(512).optional().meta({ description: 'A further name for the image' }),
    install_hosts: installHosts.optional(),
  })
  .meta({ id: 'toolhaven.buildRequest', description: 'A package to build an image of' })
export type BuildRequest = z.infer<typeof buildRequest>

export const builtImage = z.strictObject({
  package: z.string().meta({ description: 'With the exact version' }),
  image: z.string().meta({ description: 'The requested name (default: the name from the recipe)' }),
  id: z.string().meta({ description: 'ID of the image at the engine' }),
})
export type BuiltImage = z.infer<typeof builtImage>

export const buildEvent = z
  .discriminatedUnion('state', [
    ...taskEvents,
    builtImage.extend({ state: z.literal('done').meta({ description: 'The image is built' }) }),
  ])
  .meta({ id: 'toolhaven.buildEvent', description: 'Data of one server-sent event of a build' })

const tag = 'workloads'
const exampleRecipe: BuildRecipe = {
  package: 'npx://@modelcontextprotocol/server-everything@2026.1.26',
  image: 'toolhaven.local/npx-modelcontextprotocol-server-everything:0123456789abcdef0123456789abcdef',
  base_image: 'docker.io/library/node:24-slim',
  dockerfile: 'FROM docker.io/library/node:24-slim AS fetch\n…\n',
  files: { 'package.json': '{}\n' },
}

export const buildRoutes = {
  getBuildRecipe: {
    method: 'GET',
    path: `${API_PREFIX}/builds/recipe`,
    tag,
    summary: 'How the image of a package would be made',
    description: 'Looks up the newest version if you name none. Builds nothing, and needs no engine.',
    query: z.strictObject({ package: packageReference }),
    success: ok(buildRecipe, 'The recipe', exampleRecipe),
    errors: {
      404: {
        when: 'the index has no such package',
        example: 'The npm package no-such-server was not found. Check its name and version.',
      },
      502: {
        when: 'the index does not answer',
        example:
          'The npm registry could not be reached for everything (ECONNREFUSED). Check the network, proxy and registry settings of npm.',
      },
    },
    extension: true,
  },
  buildPackage: {
    method: 'POST',
    path: `${API_PREFIX}/builds`,
    tag,
    summary: 'Build the image of a package',
    description: 'The build runs while the stream is read. Closing the stream cancels the build.',
    body: buildRequest,
    bodyExample: { package: 'npx://@modelcontextprotocol/server-everything', tag: 'everything:latest' },
    success: taskStream('One event per step, then done or failed; data is a build event as JSON'),
    extension: true,
  },
} as const satisfies Routes
