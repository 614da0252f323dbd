import * as z from 'zod'

/** A NUL ends a text for the kernel and for the programs that we start: they would read the rest as something else. */
export function hasNul(text: string): boolean {
  return text.includes('\0')
}

export const NO_NUL = 'must not contain a NUL character'
export const NO_HALF_PAIR = 'must not contain half of a surrogate pair'

/** Text for programs, files and names. They hold UTF-8, which has no form for half of a surrogate pair. */
export const wellFormedText = z.string().refine((text) => text.isWellFormed(), NO_HALF_PAIR)

/** Control characters and halves of surrogate pairs, in words that the regular expressions of every language know. */
export const UNPRINTABLE = String.raw`\x00-\x1f\x7f-\x9f\ud800-\udfff`

/** A host for lists and hosts files, in which a space or a line break would begin something else. */
export const hostText = z
  .string()
  .regex(new RegExp(`^[^\\s${UNPRINTABLE}]+$`, 'u'), 'must be a host without spaces or control characters')

/** A host that may be reached while a package is installed. Without a port it means those of the web. */
export const installHost = z
  .string()
  .max(300)
  .regex(
    /^(?:(?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])(?::[1-9][0-9]{0,4})?$/,
    'must be a host such as "example.com" or "example.com:8443"',
  )

const HEADER_VALUE = /^[\x20-\x7e\xa0-\xff]*$/

/** Whether HTTP can carry the text as the value of a header. */
export function isHeaderValue(text: string): boolean {
  return HEADER_VALUE.test(text)
}

export const headerValue = z
  .string()
  .regex(HEADER_VALUE, 'must not contain control characters or characters outside Latin-1')
