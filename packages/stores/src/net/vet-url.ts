import { isIPv4 } from 'node:net'
import { invalid } from '@toolhaven/core/errors'
import { hostReach } from '@toolhaven/core/net/host-reach'

/** What can be judged of a URL before a name is resolved. Credentials are never repeated in the error. */
export function vetUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.parse(text)
  if (url === null) throw invalid('the URL cannot be read: write it as https://HOST/PATH')
  if (url.username !== '' || url.password !== '') {
    throw invalid(`the URL for ${url.host} has a user name or password in it: take them out`)
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPrivate)) {
    const hint = url.protocol === 'http:' ? ', or allow private addresses' : ''
    throw invalid(`the URL for ${url.host || url.protocol} must use https${hint}`)
  }
  // 2130706433, 0x7f.1 and 0177.0.0.1 are all 127.0.0.1: the parser has made them so, and the dialler judges that address.
  // Nobody writes them by honest accident, so they are refused even where they would lead to a public one.
  if (isIPv4(url.hostname) && !text.includes(url.hostname)) {
    throw invalid(`the URL hides the address ${url.hostname} in another notation: write it as four decimal numbers`)
  }
  // A dialler judges every address it resolves. A proxy that dials for us does not.
  if (hostReach(url.hostname) === 'never') {
    throw invalid(`${url.hostname} is not a public address and is never reached`)
  }
  return url
}
