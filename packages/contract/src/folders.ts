import * as z from 'zod'
import { API_PREFIX, ok, type Routes } from './route.ts'

export const folderList = z
  .strictObject({
    path: z.string().meta({ description: 'The folder, as an absolute path' }),
    folders: z.array(z.string()).meta({ description: 'Names of the folders in it, sorted; at most 1,000' }),
  })
  .meta({ id: 'toolhaven.folderList', description: 'Folders in a folder of the user' })

export const folderRoutes = {
  listFolders: {
    method: 'GET',
    path: `${API_PREFIX}/folders`,
    tag: 'system',
    summary: 'List folders below the home folder',
    description:
      'Helps to choose a folder to mount. Lists folders only: no files, no hidden folders, no symbolic links, nothing outside the home folder.',
    query: z.strictObject({
      path: z
        .string()
        .optional()
        .meta({ description: 'Absolute, or relative to the home folder (default: the home folder)' }),
    }),
    success: ok(folderList, 'The folders', { path: '/home/me/projects', folders: ['notes', 'website'] }),
    errors: { 404: { when: 'no such folder', example: 'there is no folder projects/other; choose another one' } },
    extension: true,
  },
} as const satisfies Routes
