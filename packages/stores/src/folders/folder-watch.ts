import { printable } from '@toolhaven/contract/visible-text'
import type { FolderWatch, FolderWatchEvents } from '@toolhaven/core/ports/folder-watch'
import { WatchedTree } from './watched-tree.ts'

export interface FolderWatchOptions {
  ignoreCase: boolean
  events: FolderWatchEvents
}

/** Editors write a file in several steps, and builds write many files. A change is reported when nothing followed for this long … */
const QUIET_MS = 200
/** … or when changes have continued for this long. */
const LONGEST_MS = 2000

/** Watches the folders of servers that the user is developing. */
export function createFolderWatch({ ignoreCase, events }: FolderWatchOptions): FolderWatch {
  const open = new Map<string, { folder: string; tree: WatchedTree; news: News }>()
  const close = (workload: string) => {
    const watched = open.get(workload)
    watched?.tree[Symbol.dispose]()
    watched?.news.drop()
    open.delete(workload)
  }
  return {
    open: async (workload, folder) => {
      const known = open.get(workload)
      // Watching continues during a restart, so that no change is missed.
      if (known?.folder === folder && (await known.tree.isWhole())) return
      close(workload)
      const news = collectNews((path) => events.onChanged(workload, printable(path)))
      const tree = new WatchedTree({ root: folder, ignoreCase, onChanged: news.add })
      open.set(workload, { folder, tree, news })
      try {
        await tree.enter(folder, [])
      } catch (error) {
        if (open.get(workload)?.tree === tree) close(workload)
        throw error
      }
    },
    close,
    [Symbol.dispose]: () => [...open.keys()].forEach(close),
  }
}

interface News {
  add: (path: string) => void
  drop: () => void
}

function collectNews(tell: (path: string) => void): News {
  let first: { path: string; at: number } | undefined
  let timer: NodeJS.Timeout | undefined
  const send = () => {
    const path = first?.path
    first = undefined
    if (path !== undefined) tell(path)
  }
  return {
    add: (path) => {
      first ??= { path, at: performance.now() }
      clearTimeout(timer)
      const left = first.at + LONGEST_MS - performance.now()
      timer = setTimeout(send, Math.max(0, Math.min(QUIET_MS, left)))
      timer.unref()
    },
    drop: () => {
      clearTimeout(timer)
      first = undefined
    },
  }
}
