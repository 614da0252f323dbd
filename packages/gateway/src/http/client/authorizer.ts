/** Gives requests the token the server wants. */
export interface Authorizer {
  /** The Authorization header for a request now; undefined: none. */
  header(): Promise<string | undefined>
  /** The server refused what was sent: another header to try once. Throws when only a person can help. */
  renew(used: string | undefined, challenge: string | undefined): Promise<string | undefined>
  /** It refused the new one as well: the error that says so. */
  refused(challenge: string | undefined): Promise<Error>
  /** It forbids what was asked: the error when a login with more rights would help, else undefined. */
  forbidden(challenge: string | undefined): Promise<Error | undefined>
}
