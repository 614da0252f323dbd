import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { report } from './report.ts'

interface Weakness {
  file: string
  find: string
}

/**
 * Attacks are tried on weakened builds, which replace one text of one source file. npm test runs only some of them each
 * time, so without this check a text that somebody changed would be missed for many commits.
 */
export function weaknessProblems(test: string, source: string, read: (file: string) => string | undefined): string[] {
  return weaknessesIn(test, source).flatMap(({ file, find }) => {
    const text = read(file)
    if (text === undefined) return [`${test}: weakens ${file}, which is not there`]
    const count = text.split(find).length - 1
    return count === 1 ? [] : [`${test}: ${file} holds ${JSON.stringify(find)} ${count} times, not once`]
  })
}

/** Every object that names a file and a text to find, written out or as constants above it. */
export function weaknessesIn(name: string, source: string): Weakness[] {
  const found: Weakness[] = []
  const constants = new Map<string, string>()
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined) {
      const text = textOf(node.initializer, constants)
      if (text !== undefined) constants.set(node.name.text, text)
    }
    if (ts.isObjectLiteralExpression(node)) {
      const [file, find] = ['file', 'find'].map((key) => propertyOf(node, key, constants))
      if (file !== undefined && find !== undefined) found.push({ file, find })
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(name, source, ts.ScriptTarget.Latest))
  return found
}

function propertyOf(
  object: ts.ObjectLiteralExpression,
  key: string,
  constants: ReadonlyMap<string, string>,
): string | undefined {
  for (const property of object.properties) {
    if (property.name === undefined || !ts.isIdentifier(property.name) || property.name.text !== key) continue
    if (ts.isPropertyAssignment(property)) return textOf(property.initializer, constants)
    if (ts.isShorthandPropertyAssignment(property)) return constants.get(key)
  }
  return undefined
}

/** A text, or the constant above it that is one. */
function textOf(node: ts.Expression, constants: ReadonlyMap<string, string>): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  return ts.isIdentifier(node) ? constants.get(node.text) : undefined
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '..')
  const read = (file: string) => {
    const full = path.join(root, file)
    return existsSync(full) ? readFileSync(full, 'utf8') : undefined
  }
  const tests = globSync('{e2e,apps,packages}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
  const sources = tests.toSorted().map((file) => ({ file, source: read(file) ?? '' }))
  const weak = sources.filter(({ source }) => source.includes('find:'))
  const count = weak.reduce((sum, { file, source }) => sum + weaknessesIn(file, source).length, 0)
  report(
    count === 0
      ? ['No attack weakens anything']
      : weak.flatMap(({ file, source }) => weaknessProblems(file, source, read)),
    `${count} texts that weakened builds replace stand where they say`,
  )
}
