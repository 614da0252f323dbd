import { readdirSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'

const SET_ASIDE = /\.corrupt-\d{4}-[\dTZ.-]+$/

/** Moves a damaged file out of the way, keeping it for the user, and gives its new path. */
export async function setAside(path: string, now: number): Promise<string> {
  const aside = `${path}.corrupt-${new Date(now).toISOString().replaceAll(':', '-')}`
  await rename(path, aside)
  return aside
}

/** Damaged files in the state folder or a folder directly below it. Reads synchronously, because `thv list` does it each time. */
export function filesSetAside(stateDir: string): string[] {
  return [stateDir, ...foldersIn(stateDir)].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => SET_ASIDE.test(name))
      .map((name) => join(folder, name)),
  )
}

function foldersIn(folder: string): string[] {
  return namesIn(folder, true).map((name) => join(folder, name))
}

function namesIn(folder: string, isFolder?: true): string[] {
  try {
    const found = readdirSync(folder, { withFileTypes: true })
    return found.filter((entry) => isFolder === undefined || entry.isDirectory()).map(({ name }) => name)
  } catch {
    return [] // missing or unreadable: the code that needs it reports that
  }
}
