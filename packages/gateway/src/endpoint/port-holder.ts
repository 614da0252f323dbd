import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'

const LISTENING = '0A'

/** "name (pid N)" of the process that listens on a TCP port, where the system shows it (Linux, own processes). */
export async function findPortHolder(port: number): Promise<string | undefined> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  )
  const inodes = new Set(tables.flatMap((table) => listeningInodes(table, port)))
  if (inodes.size === 0) return undefined
  const pids = (await readdir('/proc').catch(() => [])).filter((entry) => /^\d+$/.test(entry))
  for (const pid of pids) {
    if (!(await holdsAny(pid, inodes))) continue
    return `${await programOf(pid)} (pid ${pid})`
  }
  return undefined
}

/** The name that a person would use. The kernel's name for a process may be that of its main thread. */
async function programOf(pid: string): Promise<string> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const [program = '', ...args] = line.split('\0')
  const isInterpreter = INTERPRETERS.test(basename(program)) && !args.some((arg) => GIVES_CODE.test(arg))
  const script = isInterpreter ? args.find((arg) => arg !== '' && !arg.startsWith('-')) : undefined
  const name = [program, script].flatMap((part) => (part ? [basename(part)] : [])).join(' ')
  return name.replaceAll(/\p{Cc}/gu, '?').slice(0, 100) || 'unknown'
}

const INTERPRETERS = /^(node|nodejs|bun|deno|python[\d.]*|ruby|perl|java|sh|bash)$/

/** The program itself follows, and would be a strange name. */
const GIVES_CODE = /^(?:-[ce]|--eval|--print|-p)$/

function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state = '', , , , , , inode = ''] = line.trim().split(/\s+/)
    return local.endsWith(suffix) && state === LISTENING ? [inode] : []
  })
}

async function holdsAny(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  // Processes of other users cannot be inspected, so they are not named.
  const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
  for (const file of files) {
    const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '')
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
    if (inode !== undefined && inodes.has(inode)) return true
  }
  return false
}
