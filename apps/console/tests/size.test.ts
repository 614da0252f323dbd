import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { consoleFolder } from '../../../tools/console-build.ts'

const KB = 1000
const assets = path.join(consoleFolder, 'assets')
const weigh = (file: string) => brotliCompressSync(readFileSync(file)).length

/** What a script brings along, itself included. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, name = ''] of readFileSync(path.join(assets, file), 'utf8').matchAll(/from"\.\/([^"]+\.js)"/g))
    withImports(name, found)
  return found
}

const weightOf = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + weigh(path.join(assets, file)), 0) / KB
const pageScript = readFileSync(path.join(consoleFolder, 'index.html'), 'utf8')
const [, entry = ''] = /<script type="module"[^>]* src="\/assets\/([^"]+)"/.exec(pageScript) ?? []
const begin = withImports(entry)

test('the first view needs at most 130 KB of script', () => {
  const home = readdirSync(assets).find((file) => file.startsWith('HomePage-')) ?? ''
  expect(weightOf(withImports(home, new Set(begin)))).toBeLessThan(130)
})

test('each further screen needs at most 60 KB of script', () => {
  const screens = readdirSync(assets).filter((file) => /^\w+(?:Page|Tab)-.*\.js$/.test(file))
  expect(screens.length).toBeGreaterThan(2)
  for (const screen of screens)
    expect(weightOf([...withImports(screen)].filter((file) => !begin.has(file))), screen).toBeLessThan(60)
})

test('nothing is loaded from elsewhere, and nothing runs from the page itself', () => {
  expect(pageScript).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
  expect(pageScript).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=/)
})
