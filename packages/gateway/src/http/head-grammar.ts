/** For HTTP/1.1 heads in both directions: https://www.rfc-editor.org/rfc/rfc9110#section-5. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
export const NOT_IN_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/
export const END_OF_HEAD = Buffer.from('\r\n\r\n')
/** The same limit as `node:http`. */
export const MAX_HEAD_BYTES = 16 * 1024
