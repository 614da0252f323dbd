// `npm run bench`: our numbers beside others', in one run.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'
import { TESTBED, bringSystemPackages } from './system-packages.mjs'

await run(() => {
  const node = setUp()
  bringSystemPackages(TESTBED, 'The bench')
  become(node, 'bench/run.ts', process.argv.slice(2))
})
