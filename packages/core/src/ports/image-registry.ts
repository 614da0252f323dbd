/** What an image's own registry has of its repository. `unavailable` when it does not answer. */
export interface ImageRegistry {
  /** All tags, in no order. */
  tags(reference: string, signal: AbortSignal): Promise<string[]>
  /** Of what the reference names now: its own, then those of the images in it. Undefined: the registry has none of that name. */
  digests(reference: string, signal: AbortSignal): Promise<string[] | undefined>
}
