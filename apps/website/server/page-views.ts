/** Views of the pages since the server started. Only addresses of pages are counted, so it cannot grow without bound. */
export class PageViews {
  readonly #counts = new Map<string, number>()
  readonly #isPage: (address: string) => boolean

  constructor(isPage: (address: string) => boolean) {
    this.#isPage = isPage
  }

  count(address: string): void {
    const page = address.length > 1 ? address.replace(/\/$/, '') : address
    if (this.#isPage(page)) this.#counts.set(page, (this.#counts.get(page) ?? 0) + 1)
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries([...this.#counts].toSorted(([one], [other]) => one.localeCompare(other)))
  }
}
