import { ThvError } from '../errors.ts'

/** A remote server wants a person to log in. Nothing but that person can change it, so it is not tried again. */
export class NeedsLogin extends ThvError {
  readonly url: string
  /** Why the last login came to nothing. */
  readonly lastFailure: string | undefined

  constructor(workload: string, url: string, lastFailure?: string) {
    super(
      'unavailable',
      `The server ${workload} needs a login before it can be used; "thv list" shows the address to open.`,
    )
    this.url = url
    this.lastFailure = lastFailure
  }

  /** What the status says; the address comes first, so that it can be taken from there. */
  get context(): string {
    return `${NEEDS_LOGIN}${this.url}${this.lastFailure === undefined ? '' : ` (the last login failed: ${this.lastFailure})`}`
  }
}

export const NEEDS_LOGIN = 'needs login: '
