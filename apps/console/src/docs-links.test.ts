import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { DOCS_PAGES, docsLinks } from './docs-links.ts'

const docs = path.resolve(import.meta.dirname, '../../website/docs')

test('every page that the console links to is there', () => {
  const missing = DOCS_PAGES.filter(
    (page) => !['.mdx', '.md'].some((ending) => existsSync(path.join(docs, page.path + ending))),
  )
  expect(missing).toEqual([])
})

test('links lead below the address of the website, and nowhere without one', () => {
  expect(docsLinks('https://docs.example.com/haven/')[0]?.href).toBe(
    'https://docs.example.com/haven/toolhaven/tutorials/quickstart-ui',
  )
  expect(docsLinks('')).toEqual([])
})
