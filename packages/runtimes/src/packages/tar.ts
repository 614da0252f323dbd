const BLOCK = 512
const MAX_NAME_BYTES = 100
const MOST_OCTAL = 0o7777777

/** A ustar archive of a few small files, by default readable only by their owner, and of empty folders of one user. */
export function tar(
  files: Readonly<Record<string, string | Buffer>>,
  mode = 0o600,
  folders: readonly { name: string; owner: number; mode?: number }[] = [],
): Buffer {
  const parts = Object.entries(files).flatMap(([name, data]) => {
    const content = typeof data === 'string' ? Buffer.from(data) : data
    const head = header({ name, size: content.length, mode, owner: 0, type: '0' })
    return [head, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]
  })
  const empty = folders.map(({ name, owner, mode: own = 0o700 }) =>
    header({ name: `${name}/`, size: 0, mode: own, owner, type: '5' }),
  )
  return Buffer.concat([...parts, ...empty, Buffer.alloc(2 * BLOCK)])
}

interface Entry {
  name: string
  size: number
  mode: number
  owner: number
  /** `0` is a file, `5` a folder. */
  type: '0' | '5'
}

function header({ name, size, mode, owner, type }: Entry): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new Error(`a name too long for the archive: ${name}`)
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at)
  // As GNU tar writes numbers that have too many digits: a mark, and the number in the last bytes.
  const binary = (value: number, at: number) => {
    block[at] = 0x80
    block.writeUInt32BE(value, at + 4)
  }
  block.write(name, 0)
  octal(mode, 100, 8)
  for (const at of [108, 116]) {
    if (owner <= MOST_OCTAL) octal(owner, at, 8)
    else binary(owner, at)
  }
  octal(size, 124, 12)
  // No time of day: equal contents make an equal archive, which the engine's build cache compares.
  octal(0, 136, 12)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
