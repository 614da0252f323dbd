import type { ImageRegistry } from '@toolhaven/core/ports/image-registry'
import { unavailable } from '@toolhaven/core/errors'

/** Has the tags and digests that a test gives it. */
export class FakeImageRegistry implements ImageRegistry {
  tagList: string[] = []
  digestList: string[] | undefined
  isDown = false

  async tags(): Promise<string[]> {
    this.#check()
    return this.tagList
  }

  async digests(): Promise<string[] | undefined> {
    this.#check()
    return this.digestList
  }

  #check(): void {
    if (this.isDown) throw unavailable('registry.example.com does not answer')
  }
}
