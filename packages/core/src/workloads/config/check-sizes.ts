import { invalid } from '../../errors.ts'

/** The longest argument, or variable with its name, that Linux passes to a program; a NUL is added to it. */
const MOST_BYTES = 128 * 1024 - 1
/** For all arguments and variables together. Linux accepts about 2 MiB, and images and runtimes add some of their own. */
const MOST_BYTES_TOGETHER = 1024 * 1024

const ADVICE = 'put it into a file and mount the file'

/** Refuses arguments and variables that are too large to start any program with. */
export function checkSizes(args: readonly string[], env: Readonly<Record<string, string>>): void {
  const texts = [
    ...args.map((text, at) => ({ field: `cmd_arguments[${at}]`, bytes: byteLength(text) })),
    ...Object.entries(env).map(([name, value]) => ({
      field: `the variable ${name}`,
      bytes: byteLength(`${name}=${value}`),
    })),
  ]
  const long = texts.find(({ bytes }) => bytes > MOST_BYTES)
  if (long !== undefined)
    throw invalid(`${long.field} has ${long.bytes} bytes, and the limit is ${MOST_BYTES}; ${ADVICE}`)
  const together = texts.reduce((sum, { bytes }) => sum + bytes + 1, 0)
  if (together > MOST_BYTES_TOGETHER)
    throw invalid(
      `the arguments and variables have ${together} bytes together, and the limit is ${MOST_BYTES_TOGETHER}; ${ADVICE}`,
    )
}

const encoder = new TextEncoder()
const byteLength = (text: string) => encoder.encode(text).length
