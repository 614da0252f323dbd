import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { SiteFile } from './site-files.ts'

export interface Encoded {
  body: Buffer
  encoding?: 'br' | 'gzip'
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Compresses a file when it is first asked for and keeps the result as long as the file. */
export class Encodings {
  readonly #done = new WeakMap<SiteFile, Map<'br' | 'gzip', Promise<Buffer>>>()
  readonly #quality: number | undefined

  /** `quality` of Brotli, 1 to 11; left out: what is worth its time to a server that runs for weeks. */
  constructor(quality?: number) {
    this.#quality = quality
  }

  async encode(file: SiteFile, accepted: string | undefined): Promise<Encoded> {
    const encoding = file.compressible ? chosenEncoding(accepted) : undefined
    if (encoding === undefined) return { body: file.body }
    const ways = this.#done.get(file) ?? new Map<'br' | 'gzip', Promise<Buffer>>()
    this.#done.set(file, ways)
    const body = ways.get(encoding) ?? compress(file, encoding, this.#quality)
    ways.set(encoding, body)
    return { body: await body, encoding }
  }
}

function compress(file: SiteFile, encoding: 'br' | 'gzip', asked: number | undefined): Promise<Buffer> {
  if (encoding === 'gzip') return zip(file.body)
  // The best costs about a second for a megabyte: worth it once for what is sent often, not for the large lazy parts.
  const quality = asked ?? (file.body.length < 600_000 ? 11 : 6)
  return brotli(file.body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: file.body.length,
    },
  })
}

function chosenEncoding(accepted = ''): 'br' | 'gzip' | undefined {
  const offers = accepted
    .split(',')
    .map((offer) =>
      offer
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    )
    .filter(([, weight]) => weight === undefined || !/^q=0(?:\.0*)?$/.test(weight))
    .map(([name]) => name)
  if (offers.includes('br')) return 'br'
  return offers.includes('gzip') ? 'gzip' : undefined
}
