/** The whole body, in the parts it arrived in. */
export type Body = readonly Buffer[] | 'too-large' | 'no-room' | 'aborted'

export interface BodyBounds {
  maxBytes: number
  /** Called as more of the body arrives, with all bytes so far. Default: there is room for every body. */
  hasRoom?: (bytes: number) => boolean
}
