import type { ClientType } from '@toolhaven/contract/client-types'
import type { ClientPreview, PreviewedFile } from '@toolhaven/contract/clients'

/** Configuration files of AI client programs on this machine. */
export interface ClientFiles {
  isInstalled(client: ClientType): Promise<boolean>

  /**
   * Makes the entries that *we* own in the client's file equal to `wanted` (keyed by workload name): adds, changes and removes only
   * those, and never touches other entries. If another entry has the name, ours is written as `NAME-toolhaven`. Comments, order,
   * unknown fields, CRLF and BOM are kept; a backup is made; the write is atomic. An entry that is exactly what we would write for
   * one of the `known` workloads counts as ours too, so that none is left behind. A client that is not installed is skipped
   * (`skipped`). An unparsable file is refused (`invalid`, naming file and place).
   */
  sync(
    client: ClientType,
    wanted: ReadonlyMap<string, ClientEntry>,
    known: ReadonlyMap<string, ClientEntry>,
  ): Promise<ClientSyncResult>

  /** What `sync` would do, file by file. Changes nothing. For a client that is not installed, shows the file that it would get. */
  preview(
    client: ClientType,
    wanted: ReadonlyMap<string, ClientEntry>,
    known: ReadonlyMap<string, ClientEntry>,
  ): Promise<ClientFilesPreview>
}

export interface ClientFilesPreview extends Pick<ClientPreview, 'reads'> {
  /** `foreign` includes adopted entries. */
  files: Omit<PreviewedFile, 'adopted'>[]
}

export interface ClientEntry {
  url: string
  transport: 'sse' | 'streamable-http'
}

export interface ClientSyncResult {
  outcome: 'written' | 'unchanged' | 'skipped'
  /** Things the user should know ("cursor has an entry fetch of its own; ours is fetch-toolhaven"). */
  notes: string[]
}
