import { ThvError } from '../../errors.ts'

interface LoginFacts {
  lastFailure?: string | undefined
  more?: readonly string[] | undefined
}

/** A remote server wants a person to log in. Nothing but that person can change it, so it is not tried again. */
export class NeedsLogin extends ThvError {
  readonly url: string
  /** Why the last login came to nothing. */
  readonly lastFailure: string | undefined
  /** The rights that the login lacks for some of its calls; the others go on. Left out: there is no login. */
  readonly more: readonly string[] | undefined

  constructor(workload: string, url: string, { lastFailure, more }: LoginFacts = {}) {
    super(
      'unavailable',
      more === undefined
        ? `The server ${workload} needs a login before it can be used; "thv list" shows the address to open.`
        : `The server ${workload} needs a login with more rights for this; "thv list" shows the address to open.`,
    )
    this.url = url
    this.lastFailure = lastFailure
    this.more = more
  }

  /** What the status says; the address comes first, so that it can be taken from there. */
  get context(): string {
    const more = this.more === undefined ? '' : ` (for more rights: ${this.more.join(' ')})`
    const failed = this.lastFailure === undefined ? '' : ` (the last login failed: ${this.lastFailure})`
    return `${NEEDS_LOGIN}${this.url}${more}${failed}`
  }
}

export const NEEDS_LOGIN = 'needs login: '
