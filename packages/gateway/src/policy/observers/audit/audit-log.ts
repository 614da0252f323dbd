/** Takes whole lines and never makes a call wait for them. */
export interface AuditLog {
  write(line: string): void
  /** Resolves when everything it took is written, or cannot be. */
  close(): Promise<void>
}

/** Without `file`: the daemon's standard output. Throws when records cannot be kept there. */
export type OpenAuditLog = (file: string | undefined) => Promise<AuditLog>
