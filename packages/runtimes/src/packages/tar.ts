const BLOCK = 512
const MAX_NAME_BYTES = 100

/** A ustar archive of a few small files, by default readable by their owner only. */
export function tar(files: Readonly<Record<string, string | Buffer>>, mode = 0o600): Buffer {
  const parts = Object.entries(files).flatMap(([name, data]) => {
    const content = typeof data === 'string' ? Buffer.from(data) : data
    return [header(name, content.length, mode), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]
  })
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

function header(name: string, size: number, mode: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new Error(`a name too long for the archive: ${name}`)
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at)
  block.write(name, 0)
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  // No time of day: equal contents make an equal archive, which the engine's build cache looks at.
  octal(0, 136, 12)
  block.write('        ', 148)
  block.write('0', 156)
  block.write('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
