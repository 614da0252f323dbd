import { ThvError } from '../../errors.ts'

interface LoginFacts {
  lastFailure?: string | undefined
  more?: readonly string[] | undefined
}

/** A remote server requires a login by a person. It is not tried again until then, because only that person can help. */
export class NeedsLogin extends ThvError {
  readonly url: string
  /** Why the last login failed. */
  readonly lastFailure: string | undefined
  /** The rights that the login lacks for some calls; other calls still work. Undefined if there is no login. */
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

  /** The text of the status. The address comes first, so that programs can extract it. */
  get context(): string {
    const more = this.more === undefined ? '' : ` (for more rights: ${this.more.join(' ')})`
    const failed = this.lastFailure === undefined ? '' : ` (the last login failed: ${this.lastFailure})`
    return `${NEEDS_LOGIN}${this.url}${more}${failed}`
  }
}

export const NEEDS_LOGIN = 'needs login: '
