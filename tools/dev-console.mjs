// `npm run dev:console`: the console with hot reload, against the daemon at TOOLHAVEN_ADDRESS (http://127.0.0.1:8080).
import process from 'node:process'
import { become, run, setUp } from './set-up.mjs'

await run(() => become(setUp(), 'node_modules/vite/bin/vite.js', ['apps/console', ...process.argv.slice(2)]))
