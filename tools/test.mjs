// `npm test`: everything the suites need, then all of them. `--full` runs every cell of every matrix.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'
import { TESTBED, bringSystemPackages } from './system-packages.mjs'

await run(() => {
  const node = setUp()
  bringSystemPackages(TESTBED, 'The testbed')
  become(node, 'tools/run-tests.ts', process.argv.slice(2))
})
