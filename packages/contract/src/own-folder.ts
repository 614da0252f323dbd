import * as z from 'zod'
import { wellFormedText } from './text.ts'

export const ownFolder = z
  .strictObject({
    path: wellFormedText.min(1).max(4096).meta({ description: 'The folder, as an absolute path' }),
    command: z.array(wellFormedText).min(1).optional().meta({
      description:
        'Program and arguments that start the server in the folder (default: what its package.json, pyproject.toml or Python files say)',
    }),
    write: z.boolean().optional().meta({ description: 'The server may change files in the folder (default: false)' }),
    watch: z
      .boolean()
      .optional()
      .meta({ description: 'Restart the server when a file in the folder changes (default: false)' }),
  })
  .meta({ id: 'toolhaven.OwnFolder', description: 'A folder on this machine with your own server' })
export type OwnFolder = z.infer<typeof ownFolder>
