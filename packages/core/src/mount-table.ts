export interface MountRow {
  /** Unique on the machine while the mount exists. */
  number: string
  /** The path in its file system that is mounted. */
  root: string
  /** Where it is mounted, as seen by the process that owns the table. */
  target: string
  /** Kind of the file system, such as `ext4` or `proc`. */
  type: string
}

/** Reads `/proc/PID/mountinfo`: lines of "NUMBER PARENT DEVICE ROOT TARGET OPTIONS … - TYPE …" (proc(5)). */
export function parseMountTable(text: string): MountRow[] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ')
    const [number, , , root, target] = before.split(' ')
    if (number === undefined || root === undefined || target === undefined) return []
    return [{ number, root: plain(root), target: plain(target), type: after.split(' ')[0] ?? '' }]
  })
}

/** The kernel escapes spaces, tabs, newlines and backslashes as three octal digits. */
function plain(text: string): string {
  return text.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 8)))
}
