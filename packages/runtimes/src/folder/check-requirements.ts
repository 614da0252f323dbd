import { excerpt } from '@toolhaven/contract/visible-text'
import { invalid } from '@toolhaven/core/errors'

/**
 * The user decides where packages come from, not a project that was cloned. uv replaces variables in the lines, and the
 * variables that it runs with contain the credentials of the index: an address with one in it would send them to any
 * host.
 */
export function checkRequirements(file: string, text: string): void {
  for (const line of text.split(/[\r\n\f]+/).map((part) => part.trim())) {
    if (line.includes('${') && !line.startsWith('#'))
      throw invalid(`${file} has "${excerpt(line)}", and variables in it are not replaced. Write it without variables.`)
    if (line.startsWith('-') && !/^--hash\b/.test(line))
      throw invalid(
        `${file} has "${excerpt(line)}", but only packages can be listed in it. List them all, and put other indexes into the settings of pip or uv.`,
      )
  }
}
