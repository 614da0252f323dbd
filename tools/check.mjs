// `npm run check`: the static half of the gate.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'

await run(() => become(setUp(), 'tools/run-checks.ts', process.argv.slice(2)))
