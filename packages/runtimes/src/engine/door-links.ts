import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Door } from './door.ts'
import { DoorLink } from './door-link.ts'

/** The open links of one runtime, one for each instance behind a door. */
export interface DoorLinks extends AsyncDisposable {
  /** Opens one, unless one is already open to this very door. */
  open: (instance: string, door: Door, socketPath: string) => Promise<void>
  close: (instance: string) => Promise<void>
  /** Whether one of them leads to a door at this port of this machine. */
  isOpenAt: (port: number) => boolean
}

export function createDoorLinks(): DoorLinks {
  const links = new Map<string, { key: string; port: number; opened: Promise<DoorLink> }>()
  const close = async (instance: string) => {
    const link = links.get(instance)
    links.delete(instance)
    // A link that could not be opened needs no closing.
    const open = await link?.opened.catch(() => undefined)
    await open?.[Symbol.asyncDispose]()
  }
  return {
    async open(instance, door, socketPath) {
      const key = JSON.stringify([door, socketPath])
      if (links.get(instance)?.key !== key) {
        const closed = close(instance)
        const opened = closed.then(() => openLink(door, socketPath))
        links.set(instance, { key, port: door.port, opened })
        opened.catch(() => links.delete(instance))
      }
      await links.get(instance)?.opened
    },
    close,
    isOpenAt: (port) => [...links.values()].some((link) => link.port === port),
    async [Symbol.asyncDispose]() {
      await Promise.all([...links.keys()].map(close))
    },
  }
}

async function openLink(door: Door, socketPath: string): Promise<DoorLink> {
  await mkdir(dirname(socketPath), { recursive: true, mode: 0o700 })
  const link = new DoorLink(door)
  try {
    await link.open(socketPath)
    return link
  } catch (error) {
    await link[Symbol.asyncDispose]()
    throw error
  }
}
