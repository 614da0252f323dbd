import { findProgram } from '../package-index/find-program.ts'
import { PROXY_ADDRESS, type Ways } from './ways.ts'

/** The programs that replace a forwarder, which many machines have. */
export interface Socat {
  socat: string
  /** Binds the life of a socat to that of the sandbox. */
  setpriv: string
  /** Creates the network. */
  bwrap: string
  shell: string
}

/** Undefined where one of them is missing. */
export type FindSocat = () => Promise<Socat | undefined>

export function socatFinder(env: Readonly<Record<string, string | undefined>>): FindSocat {
  return async () => {
    const find = (name: string) => findProgram(name, env['PATH'])
    const [socat, setpriv, bwrap, shell] = await Promise.all([
      find('socat'),
      find('setpriv'),
      find('bwrap'),
      findProgram('sh', '/bin:/usr/bin'),
    ])
    return socat && setpriv && bwrap && shell ? { socat, setpriv, bwrap, shell } : undefined
  }
}

/**
 * Starts the way in and the proxy. Socat can neither set routes nor say where a program wanted to go, so programs that do
 * not support proxies reach nothing.
 *
 * Returns the command that goes before the sandbox's own: a bubblewrap that creates only the network, and in it a socat
 * for each way. The sandbox is created there once all of them listen, and sees none of them. `lastDescriptor`: the
 * descriptors from 3 up to it belong to the sandbox.
 */
export function socatCommand(
  { socat, setpriv, bwrap, shell }: Socat,
  ways: Ways,
  lastDescriptor: number,
): [string, ...string[]] {
  const pairs = [
    ...(ways.out === undefined
      ? []
      : [
          [
            `TCP4-LISTEN:${ways.out.proxyPort},bind=${PROXY_ADDRESS},reuseaddr,backlog=128,fork,max-children=${MOST_CONNECTIONS}`,
            `UNIX-CONNECT:${escaped(ways.out.proxy)}`,
          ],
        ]),
    ...(ways.in === undefined
      ? []
      : [
          [
            `UNIX-LISTEN:${escaped(ways.in.socketPath)},umask=0177,backlog=128,fork,max-children=${MOST_CONNECTIONS}`,
            `TCP4:127.0.0.1:${ways.in.port}`,
          ],
        ]),
  ]
  const closed = Array.from({ length: lastDescriptor - 2 }, (_, index) => `${index + 3}>&-`).join(' ')
  return [
    bwrap,
    ...['--unshare-user', '--unshare-net', '--uid', '0', '--gid', '0'],
    // For that network and nothing else: to make the sandbox, which drops them all.
    ...['--cap-add', 'ALL'],
    ...['--die-with-parent', '--dev-bind', '/', '/', '--', shell, '-c', script(closed), 'sh', setpriv, socat],
    ...pairs.flat(),
    '--',
  ]
}

const MOST_CONNECTIONS = 256
/** How long one direction may be silent once the other has ended. */
const HALF_OPEN_SECONDS = 600

/** Escapes characters with a meaning in an address of socat. */
const escaped = (path: string) => path.replaceAll(/[\\,:!"'([{]/g, String.raw`\$&`)

/**
 * Takes setpriv, socat, two addresses for each way, `--` and the sandbox's command. Ends without running the command if
 * a way does not listen.
 */
const script = (closed: string) => `
PATH=/usr/local/bin:/usr/bin:/bin
setpriv=$1 socat=$2 wanted=0 tries=0
shift 2
while [ "$1" != -- ]; do
  "$setpriv" --pdeathsig KILL --bounding-set -all \\
    "$socat" -t ${HALF_OPEN_SECONDS} "$1" "$2" </dev/null >/dev/null 2>&1 ${closed} &
  wanted=$((wanted + 1))
  shift 2
done
shift
listening() {
  count=0
  while read -r line; do case $line in *' 0A '*) count=$((count + 1)) ;; esac; done </proc/net/tcp
  while read -r line; do case $line in *' 00010000 '*) count=$((count + 1)) ;; esac; done </proc/net/unix
  [ "$count" -ge "$wanted" ]
}
until listening; do
  tries=$((tries + 1))
  if [ "$tries" -gt 500 ]; then echo 'socat did not listen in time' >&2; exit 1; fi
  sleep 0.02
done
exec "$@"
`
