// `npm run site`: serves the built website on PORT, or 3000.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'

await run(() => become(setUp(), 'apps/website/server/main.ts', process.argv.slice(2)))
