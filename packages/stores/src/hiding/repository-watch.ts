import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isRepository } from '../host/git-places.ts'
import { watchFolder } from './watch-folder.ts'

/** Reports once when a folder becomes a Git repository. Does not report a folder that already contains `.git`. */
export function watchForRepository(folder: string, onAppeared: (path: string) => void): Disposable {
  let isClosed = false
  const tell = (path: string) => {
    if (isClosed) return
    isClosed = true
    onAppeared(path)
  }
  const look = async (name: string) => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    const dotGit = entries.find((entry) => entry.name === name && name.toLowerCase() === '.git')
    if (dotGit) tell(join(folder, dotGit.name))
    else if (isRepository(entries)) tell(folder)
  }
  const watcher = watchFolder(folder, {
    onName: (name) => void (NAMES.has(name.toLowerCase()) && look(name)),
    onWritten: () => {},
    onLost: () => {},
  })
  return {
    [Symbol.dispose]: () => {
      isClosed = true
      watcher?.close()
    },
  }
}

const NAMES: ReadonlySet<string> = new Set(['.git', 'head', 'commondir', 'objects', 'refs'])
