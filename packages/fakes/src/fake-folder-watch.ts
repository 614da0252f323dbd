import type { FolderWatch, FolderWatchEvents } from '@toolhaven/core/ports/folder-watch'

/** Remembers which workloads are watched. A test says what changed. */
export class FakeFolderWatch implements FolderWatch {
  readonly watched = new Map<string, string>()
  events: FolderWatchEvents = { onChanged: () => {} }

  async open(workload: string, folder: string): Promise<void> {
    this.watched.set(workload, folder)
  }

  close(workload: string): void {
    this.watched.delete(workload)
  }

  [Symbol.dispose](): void {
    this.watched.clear()
  }
}
