import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describeError, invalid, isThvError } from '@toolhaven/core/errors'
import { isNestedDeeper, MOST_LEVELS } from '@toolhaven/core/json/nesting'
import { parseJson } from '@toolhaven/core/json/strict-json'
import { decodeText } from '../output/decode-text.ts'
import { readProblem } from '../output/read-problem.ts'

/** The JSON object in the file that a flag names. */
export async function readJsonObject(cwd: string, flag: string, file: string): Promise<object> {
  const text = await readText(cwd, flag, file)
  try {
    const value: unknown = JSON.parse(text)
    if (isNestedDeeper(value)) throw invalid(`its objects and lists are nested deeper than ${MOST_LEVELS} levels`)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    if (isThvError(error)) throw invalid(`${flag} ${file} cannot be used: ${error.message}`, error)
    const hint = /\.ya?ml$/.test(file) ? `\nA YAML file of Toolhaven is for "thv apply -f ${file}".` : ''
    throw invalid(`${flag} ${file} is not JSON: ${placeOf(text, error)}${hint}`, error)
  }
  throw invalid(`${flag} ${file} must contain a JSON object`)
}

/** This parser names the line and the column. */
function placeOf(text: string, error: unknown): string {
  try {
    parseJson(text, { maxDepth: MOST_LEVELS })
  } catch (fault) {
    return describeError(fault).replace('the JSON text is not acceptable at ', '')
  }
  return describeError(error)
}

export async function readText(cwd: string, flag: string, file: string): Promise<string> {
  const bytes = await readFile(resolve(cwd, file)).catch((error: unknown) => {
    throw invalid(`${flag} ${file} cannot be read: ${readProblem(error)}`, error)
  })
  return decodeText(bytes, `${flag} ${file}`)
}
