/** Whether the process of another daemon is alive. In a container, the previous daemon had the same number. */
export function isAlive(pid: number): boolean {
  if (pid === 0 || pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
