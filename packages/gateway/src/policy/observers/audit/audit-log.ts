/** Takes whole lines and never makes a call wait for them. */
export interface AuditLog {
  write(line: string): void
  /** Resolves when all that was taken is written, or cannot be. */
  close(): Promise<void>
}

/** `file` left out: the daemon's standard output. Throws when records could not be kept there. */
export type OpenAuditLog = (file: string | undefined) => Promise<AuditLog>
