import process from 'node:process'
import { findPages } from './find-pages.ts'
import { runPage } from './run-page.ts'

// node e2e/src/documentation/try-page.ts PAGE: runs one page and shows what each step printed, to write its output from.
const [wanted = ''] = process.argv.slice(2)
const found = (await findPages()).filter(({ path }) => path.startsWith(wanted))
for (const page of found) {
  for (const { line, text } of page.faults) process.stderr.write(`${page.path}:${line}: ${text}\n`)
  await runPage(page.path, page, {
    onStep: (step, { code, output }) => process.stdout.write(`\n--- line ${step.line}, exit ${code}\n${output}`),
  }).catch((error: unknown) => {
    process.exitCode = 1
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  })
}
if (found.length === 0) {
  process.stderr.write(`no page begins with "${wanted}"\n`)
  process.exitCode = 1
}
