/** All of it, in the parts it came in. */
export type Body = readonly Buffer[] | 'too-large' | 'no-room' | 'aborted'

export interface BodyBounds {
  maxBytes: number
  /** Asked as more of the body comes, with all bytes so far; left out: there is room for each body. */
  hasRoom?: (bytes: number) => boolean
}
