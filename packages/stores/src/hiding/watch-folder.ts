import { type FSWatcher, watch } from 'node:fs'
import { unavailable } from '@toolhaven/core/errors'
import { errnoOf } from '../files/errno.ts'

export interface FolderNews {
  /** A name came, went or means something else now. */
  onName: (name: string) => void
  /** What the name stands for was written to. */
  onWritten: (name: string) => void
  onLost: () => void
}

/** Tells what happens to the names in one folder, not below; undefined where that is not allowed or there is no folder. */
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
    const advice = 'raise fs.inotify.max_user_watches, or name big folders as a whole in .thvignore'
    throw unavailable(`no more folders can be watched on this machine, at ${folder}; ${advice}`, error)
  }
}
