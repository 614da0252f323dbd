/** Supplies requests with the token that the server wants. */
export interface Authorizer {
  /** The Authorization header for a request now. Undefined: send none. */
  header(): Promise<string | undefined>
  /** The server refused what was sent: returns another header to try once. Throws when only a person can help. */
  renew(used: string | undefined, challenge: string | undefined): Promise<string | undefined>
  /** The server refused the new header as well: the error that says so. */
  refused(challenge: string | undefined): Promise<Error>
  /** The server forbids the request: the error when a login with more rights would help, else undefined. */
  forbidden(challenge: string | undefined): Promise<Error | undefined>
}
