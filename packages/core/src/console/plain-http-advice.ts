import { isLoopbackHost } from '../guard/parse-host.ts'

/**
 * How to log in to the console at an address where browsers cannot. They send Sec-Fetch-Site, which names the kind of page that a
 * request comes from, only over HTTPS and at localhost. Undefined for an address where they do.
 */
export function plainHttpAdvice({ protocol, hostname, port }: URL): string | undefined {
  if (protocol === 'https:' || isLoopbackHost(hostname) || /^127(?:\.\d+){3}$/.test(hostname)) return undefined
  const near = port || '8080'
  const tunnel = `ssh -L ${near}:${hostname}:${port || '80'} ${hostname.replaceAll(/[[\]]/g, '')}`
  return `browsers can log in to the console over HTTPS or at localhost only; put HTTPS in front of the daemon, or run "${tunnel}" and open http://localhost:${near}/ instead`
}
