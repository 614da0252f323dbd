/** Tells when something in the folder of a server changes that the user is writing. */
export interface FolderWatch extends Disposable {
  /** From now on changes are told, until closed; opened again, only the folder that was named last counts. */
  open(workload: string, folder: string): Promise<void>

  /** Looks out no more; fine if it never did. */
  close(workload: string): void
}

export interface FolderWatchEvents {
  /** Some changes that came soon after one another; the first of them. */
  onChanged: (workload: string, path: string) => void
}
