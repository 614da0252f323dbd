import { type FSWatcher, watch } from 'node:fs'
import { unavailable } from '@toolhaven/core/errors'
import { errnoOf } from '../files/errno.ts'

export interface FolderNews {
  /** A name was added or removed, or stands for another file now. */
  onName: (name: string) => void
  /** The file with this name was written to. */
  onWritten: (name: string) => void
  onLost: () => void
}

/** Reports changes of the names in one folder, without subfolders; undefined if there is no such folder or it cannot be watched. */
export function watchFolder(folder: string, news: FolderNews): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false })
    watcher.on('change', (event, name) => (event === 'rename' ? news.onName : news.onWritten)(String(name ?? '')))
    watcher.on('error', news.onLost)
    return watcher
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'EACCES' || code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code !== 'ENOSPC' && code !== 'EMFILE') throw error
    const advice = 'raise fs.inotify.max_user_watches, or name whole folders in .thvignore'
    throw unavailable(`this machine cannot watch more folders (at ${folder}); ${advice}`, error)
  }
}
