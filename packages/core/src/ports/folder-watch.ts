/** Reports changes in the folder of a server that the user is developing. */
export interface FolderWatch extends Disposable {
  /** Starts to report changes, until closed. Opening it again replaces the folder. */
  open(workload: string, folder: string): Promise<void>

  /** Stops watching. Does nothing if nothing is watched. */
  close(workload: string): void
}

export interface FolderWatchEvents {
  /** Called for a burst of changes, with the first of them. */
  onChanged: (workload: string, path: string) => void
}
