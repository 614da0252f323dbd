import { invalid } from '@toolhaven/core/errors'

/** A terminal may still be in a folder that has been deleted. */
export function currentFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    throw invalid('the folder that you are in was deleted\nGo to another one, with "cd ~" for example.', error)
  }
}
