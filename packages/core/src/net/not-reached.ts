import { describeError } from '../errors.ts'

const NOT_REACHED: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'nothing listens at that address'],
  ['ENOENT', 'nothing listens at that address'],
  ['EHOSTUNREACH', 'no network leads to that address'],
  ['ENETUNREACH', 'no network leads to that address'],
  ['EAI_AGAIN', 'the name of the host could not be looked up'],
  ['ENOTFOUND', 'there is no host with that name'],
])

/** No connection could be made: the server has handled nothing. */
export function isNotReached(error: unknown): error is Error & { code: unknown } {
  return error instanceof Error && 'code' in error && NOT_REACHED.has(error.code)
}

/** The same in words, together with the system's own message. */
export function notReachedText(error: Error & { code: unknown }): string {
  return `${NOT_REACHED.get(error.code)} (${describeError(error)})`
}

const CERTIFICATE_FAULTS: ReadonlyMap<unknown, string> = new Map([
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not trusted here'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'its certificate is not trusted here'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'its certificate is not trusted here'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is not trusted here'],
])

/** What is wrong with the certificate of a host, by Node's code for it. */
export const certificateFault = (code: unknown): string | undefined => CERTIFICATE_FAULTS.get(code)

/** Why a connection failed, in words that people without knowledge of the HTTP library understand. */
export function connectionFault(error: unknown): string {
  if (isNotReached(error)) return notReachedText(error)
  const code: unknown = Object(error).code
  const certificate = certificateFault(code)
  if (certificate !== undefined) return certificate
  if (String(code).startsWith('ERR_SSL')) return 'it does not speak TLS; without TLS, the address begins with http://'
  const message = describeError(error)
  // `fetch` and browsers never connect to these.
  return message === 'bad port' ? 'its port belongs to another protocol; choose another port' : message
}
