// Copies bytes between two TCP connections, and nothing else: no proxy in Node can be faster.
import { connect, createServer } from 'node:net'

const [port, target] = process.argv.slice(2)
const server = createServer((client) => {
  const place = connect(Number(target), '127.0.0.1')
  client.pipe(place).pipe(client)
  client.on('error', () => place.destroy())
  place.on('error', () => client.destroy())
})
server.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
