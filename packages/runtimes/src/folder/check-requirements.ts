import { excerpt } from '@toolhaven/contract/visible-text'
import { invalid } from '@toolhaven/core/errors'

/**
 * Where packages come from, the user says and not a project that was cloned. uv puts variables into the lines, and those that it runs
 * with hold the credentials of the index: an address with one in it would carry them to any host.
 */
export function checkRequirements(file: string, text: string): void {
  for (const line of text.split(/[\r\n\f]+/).map((part) => part.trim())) {
    if (line.includes('${') && !line.startsWith('#'))
      throw invalid(`${file} has "${excerpt(line)}", and variables in it are not filled in; write it without.`)
    if (line.startsWith('-') && !/^--hash\b/.test(line))
      throw invalid(
        `${file} has "${excerpt(line)}", but only packages can be listed in it; name them all, and other indexes in the settings of pip or uv.`,
      )
  }
}
