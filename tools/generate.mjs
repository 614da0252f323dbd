// `npm run generate`: writes every generated file again.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'

await run(() => become(setUp(), 'tools/run-generators.ts', process.argv.slice(2)))
