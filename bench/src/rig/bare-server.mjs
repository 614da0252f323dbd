// What the daemon is compared with: hono on Node with nothing around it. `node bare-server.mjs PORT [FILE]` answers
// every version question with a constant and the workload list with the JSON value read from FILE.
import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const [port, file] = process.argv.slice(2)
const value = file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'))
const app = new Hono()
app.get('/api/v1beta/version', (context) => context.json({ version: 'bare' }))
app.get('/api/v1beta/workloads', (context) => context.json(value))
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' })
