// The least that a Node program can do between HTTP and one stdio server: no checks, no limits, hardly any sessions.
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'

const [port, command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map()
let next = 1
let rest = ''

child.stdout.setEncoding('utf8')
child.stdout.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  for (const line of lines) {
    const message = JSON.parse(line)
    const asked = waiting.get(message.id)
    if (asked === undefined) continue
    waiting.delete(message.id)
    message.id = asked.id
    const text = JSON.stringify(message)
    asked.response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'mcp-session-id': 'one',
    })
    asked.response.end(text)
  }
})

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const message = JSON.parse(Buffer.concat(chunks).toString())
    if (message.id === undefined) {
      child.stdin.write(`${JSON.stringify(message)}\n`)
      return response.writeHead(202).end()
    }
    waiting.set(next, { id: message.id, response })
    message.id = next++
    child.stdin.write(`${JSON.stringify(message)}\n`)
  })
})
server.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => {
  child.stdin.end()
  child.once('exit', () => process.exit(0))
})
