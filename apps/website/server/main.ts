import path from 'node:path'
import { openSearch } from './open-search.ts'
import { serveSite } from './serve-site.ts'

const folder = path.resolve(import.meta.dirname, '../build')
const port = Number(process.env['PORT'] ?? 3000)

try {
  const search = await openSearch(folder)
  const site = await serveSite({ folder, port, ...(search === undefined ? {} : { search }) })
  process.stdout.write(`The documentation is at ${site.url}\nPress Ctrl-C to stop.\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void site[Symbol.asyncDispose]())
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE') {
    return `Port ${port} is taken by another program. Set PORT to a free one and run this again.`
  }
  return error.message
}
