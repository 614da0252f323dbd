// `npm run test:conformance`: the official MCP suite against a server, and against the same server through the gateway.
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'

await run(() => {
  become(setUp(), 'conformance/run.ts', process.argv.slice(2))
})
