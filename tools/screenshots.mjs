// `npm run screenshots`: the pictures of the console for the documentation, in both colour modes.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'

await run(() => become(setUp(), 'tools/take-screenshots.ts', process.argv.slice(2)))
