import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '@toolhaven/core/errors'
import { parseMountTable } from '@toolhaven/core/mount-table'
import { fileIdentity } from '@toolhaven/core/ports/runtime'
import type { Bind } from './sandbox-plan.ts'

/** Node has no name for it: the descriptor represents a path and gives no access to what is there. */
const O_PATH = 0o10000000
const COMPLETE_MS = 10_000

/**
 * Bubblewrap mounts by path, and by then the path may mean something else. So its mounts are checked in the sandbox,
 * which is complete but runs nothing until it is released.
 */
export async function verifyBinds(init: number, binds: readonly Bind[]): Promise<void> {
  const checked = binds.filter(({ identity }) => identity !== undefined)
  if (checked.length === 0) return
  const targets = await untilComplete(init)
  for (const { sandboxPath, hostPath, identity } of checked) {
    const seen = await lookInside(init, sandboxPath)
    // By the number of its mount: a path through a link that was put there just now leads to another mount.
    if (seen?.identity !== identity || targets.get(seen?.mount ?? '') !== sandboxPath)
      throw unavailable(`${hostPath} changed while the server was started. It is checked again at the next start.`)
  }
}

/**
 * Maps the number of each mount in the sandbox to its place. Its root is a folder of bubblewrap once everything is
 * mounted.
 */
async function untilComplete(init: number): Promise<Map<string, string>> {
  const deadline = AbortSignal.timeout(COMPLETE_MS)
  while (!deadline.aborted) {
    const text = await readFile(`/proc/${init}/mountinfo`, 'utf8').catch((error: unknown) => {
      throw unavailable('The sandbox ended before its mounts could be checked. Look at the log of the workload.', error)
    })
    const rows = parseMountTable(text)
    if (rows.some(({ root, target }) => target === '/' && root === '/newroot'))
      return new Map(rows.map(({ number, target }) => [number, target]))
    await delay(1)
  }
  throw unavailable('The mounts of the sandbox could not be checked: bubblewrap did not finish them in time.')
}

async function lookInside(init: number, path: string): Promise<{ identity: string; mount: string } | undefined> {
  const handle = await open(join(`/proc/${init}/root`, path), O_PATH | constants.O_NOFOLLOW).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const identity = fileIdentity(await handle.stat({ bigint: true }))
    const facts = await readFile(`/proc/self/fdinfo/${handle.fd}`, 'utf8')
    return { identity, mount: /^mnt_id:\s*(\d+)$/m.exec(facts)?.[1] ?? '' }
  } finally {
    await handle.close()
  }
}
