/** Whether the process of another daemon lives. In a container, the daemon before this one had the same number. */
export function isAlive(pid: number): boolean {
  if (pid === 0 || pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
