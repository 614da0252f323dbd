import { invalid } from '@toolhaven/core/errors'

/** Readers of nested data call themselves. A file that is nested so deeply that the stack ends is refused like any other. */
export function withinDepth<Result>(file: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw invalid(
      `${file} was left as it is, because it is nested too deeply to be read; correct it and try again`,
      error,
    )
  }
}
