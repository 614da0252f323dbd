// `npm run build:console`: the browser console, into apps/console/dist.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'

await run(() => become(setUp(), 'tools/run-console-build.ts', process.argv.slice(2)))
