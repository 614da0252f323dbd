import * as z from 'zod'

/** The kernel and the programs that we start end a text at a NUL, so they would misread what follows. */
export function hasNul(text: string): boolean {
  return text.includes('\0')
}

export const NO_NUL = 'must not contain a NUL character'
export const NO_HALF_PAIR = 'must not contain half of a surrogate pair'

/** Text for programs, files and names. These hold UTF-8, which cannot encode half of a surrogate pair. */
export const wellFormedText = z.string().refine((text) => text.isWellFormed(), NO_HALF_PAIR)

/** Control characters and halves of surrogate pairs, written so that the regular expressions of every language understand it. */
export const UNPRINTABLE = String.raw`\x00-\x1f\x7f-\x9f\ud800-\udfff`

/** A host for lists and hosts files, in which a space or a line break would begin another entry. */
export const hostText = z
  .string()
  .regex(new RegExp(`^[^\\s${UNPRINTABLE}]+$`, 'u'), 'must be a host without spaces or control characters')

/** A host that may be reached while a package is installed. Without a port, 80 and 443 apply. */
export const installHost = z
  .string()
  .max(300)
  .regex(
    /^(?:(?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])(?::[1-9][0-9]{0,4})?$/,
    'must be a host such as "example.com" or "example.com:8443"',
  )

const HEADER_VALUE = /^[\x20-\x7e\xa0-\xff]*$/

/** Whether the text is a valid HTTP header value. */
export function isHeaderValue(text: string): boolean {
  return HEADER_VALUE.test(text)
}

export const headerValue = z
  .string()
  .regex(HEADER_VALUE, 'must not contain control characters or characters outside Latin-1')
