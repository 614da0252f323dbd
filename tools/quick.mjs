// `npm run test:quick`: types, lint and the unit tests that a change touches. Installs no system packages.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'

await run(() => become(setUp(), 'tools/run-quick.ts', process.argv.slice(2)))
