// `npm start`: everything that is missing, then the daemon in the foreground.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'
import { SANDBOX, bringSystemPackages } from './system-packages.mjs'

await run(() => {
  const node = setUp()
  if (process.platform === 'linux') bringSystemPackages(SANDBOX, 'The sandbox')
  become(node, 'apps/cli/bin/thv.mjs', ['serve', ...process.argv.slice(2)])
})
