import { describe, expect, test } from 'vitest'
import { sample } from '@toolhaven/testing/rotation'
import { rotationInside } from '@toolhaven/testing/turns'
import { findPages, mustDeclare } from './src/documentation/find-pages.ts'
import { missingDeclaration } from './src/documentation/parse-page.ts'
import { runPage } from './src/documentation/run-page.ts'
import { usePlatform } from './src/platform.ts'

const PAGES = await findPages()
const RUNNABLE = PAGES.filter(({ steps }) => steps.length > 0)
const isDocker = (page: (typeof PAGES)[number]) => page.frontMatter['platform'] === 'docker'

const PAGE_MS = 600_000

test('there are pages that can be run', () => {
  expect(RUNNABLE).not.toEqual([])
})

test.each(PAGES)('$path says of every command whether it runs', ({ path, ...page }) => {
  const faults = [...page.faults, ...(mustDeclare(path) ? missingDeclaration(page) : [])]
  expect(faults.map(({ line, text }) => `${path}:${line}: ${text}`)).toEqual([])
})

/** A test run takes two pages and so covers all of them over time. A full run takes every page. */
const chosen = sample(RUNNABLE, 2, rotationInside(import.meta.url))

for (const page of chosen.filter((each) => !isDocker(each)))
  test(`${page.path} does what it says`, () => runPage(page.path, page), PAGE_MS)

const onDocker = chosen.filter(isDocker)
describe.runIf(onDocker.length > 0)('on Docker', () => {
  const platform = usePlatform('docker')
  for (const page of onDocker)
    test(
      `${page.path} does what it says`,
      (context) => runPage(page.path, page, { makeHome: platform(context).makeHome }),
      PAGE_MS,
    )
})
