import { readFile } from 'node:fs/promises'

/**
 * The first process of a container, if it is on this machine. An engine in a virtual machine has its own process ids,
 * so the groups or mounts of the process must name the container.
 */
export async function pidHere(container: string, pid: number | undefined): Promise<number | undefined> {
  if (!pid) return undefined
  for (const file of ['cgroup', 'mountinfo']) {
    const text = await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
    if (text.includes(container)) return pid
  }
  return undefined
}
