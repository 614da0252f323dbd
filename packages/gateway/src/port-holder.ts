import { readdir, readFile, readlink } from 'node:fs/promises'

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
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'unknown')
    return `${name.trim()} (pid ${pid})`
  }
  return undefined
}

function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state = '', , , , , , inode = ''] = line.trim().split(/\s+/)
    return local.endsWith(suffix) && state === LISTENING ? [inode] : []
  })
}

async function holdsAny(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  // Other users' processes do not let us look; they are simply not named.
  const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
  for (const file of files) {
    const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '')
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
    if (inode !== undefined && inodes.has(inode)) return true
  }
  return false
}
