/** Reads the repository of an image from its own registry. Throws `unavailable` if the registry does not answer. */
export interface ImageRegistry {
  /** All tags, in no order. */
  tags(reference: string, signal: AbortSignal): Promise<string[]>
  /** The digests behind the reference now: its own, then those of the images in it. Undefined if the registry has no such image. */
  digests(reference: string, signal: AbortSignal): Promise<string[] | undefined>
}
