import { isIPv4 } from 'node:net'
import { invalid } from '@toolhaven/core/errors'
import { hostReach } from '@toolhaven/core/net/host-reach'

/** Checks what can be checked before the host name is resolved. Errors never repeat credentials. */
export function vetUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.parse(text)
  if (url === null) throw invalid('the URL cannot be read: write it as https://HOST/PATH')
  if (url.username !== '' || url.password !== '') {
    throw invalid(`the URL for ${url.host} contains a user name or password: remove them`)
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPrivate)) {
    const hint = url.protocol === 'http:' ? ', or allow private addresses' : ''
    throw invalid(`the URL for ${url.host || url.protocol} must use https${hint}`)
  }
  // 2130706433, 0x7f.1 and 0177.0.0.1 all mean 127.0.0.1. The parser converts them, and the dialler checks the result.
  // Nobody writes them by accident, so they are refused even if they lead to a public address.
  if (isIPv4(url.hostname) && !text.includes(url.hostname)) {
    throw invalid(`the URL hides the address ${url.hostname} in another notation: write it as four decimal numbers`)
  }
  // The dialler checks every address it resolves. A proxy that dials for Toolhaven does not.
  if (hostReach(url.hostname) === 'never') {
    throw invalid(`${url.hostname} is not a public address and is never reached`)
  }
  return url
}
