// `npm run fuzz`: inputs nobody thought of, for as long as you like.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'

await run(() => become(setUp(), 'fuzz/run.ts', process.argv.slice(2)))
