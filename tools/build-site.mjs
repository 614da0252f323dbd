// `npm run build:site`: the documentation website, into apps/website/build.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'

await run(() => become(setUp(), 'apps/website/builder/main.ts', process.argv.slice(2)))
