/** Something that the testbed cannot offer on this machine. The reason is printed where a test is skipped for it. */
export class Unavailable extends Error {
  constructor(reason: string, options?: { cause?: unknown }) {
    super(reason, options)
    this.name = 'Unavailable'
  }
}
