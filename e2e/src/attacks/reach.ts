/** A place to connect to: a TCP port, or a unix socket (with a NUL first: an abstract one). */
export type Place = { host: string; port: number } | { path: string }

/**
 * For `node -e`: tries each place of its argument, directly and, where proxy variables are set, through the proxy. Prints for
 * each whether anything answered. That a connection was accepted is not enough: a forwarder may do so before it is refused.
 */
export const REACH = String.raw`
const net = require('node:net')
const heard = (where, first, isIt) => new Promise((done) => {
  const socket = net.connect(where, () => socket.write(first))
  socket.setTimeout(5000, () => { socket.destroy(); done(false) })
  socket.on('data', (data) => { socket.destroy(); done(isIt(String(data))) })
  socket.on('error', () => done(false)).on('close', () => done(false))
})
const directly = (where) => heard(where, 'GET /health HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n', () => true)
const proxy = process.env.HTTP_PROXY && new URL(process.env.HTTP_PROXY)
const through = ({ host, port }) => {
  if (!proxy || !host) return false
  const place = (host.includes(':') ? '[' + host + ']' : host) + ':' + port
  const asked = 'CONNECT ' + place + ' HTTP/1.1\r\nHost: ' + place + '\r\n\r\n'
  return heard({ host: proxy.hostname, port: proxy.port }, asked, (text) => text.startsWith('HTTP/1.1 200'))
}
const tried = JSON.parse(process.argv[1]).map(async (where) => (await directly(where)) || (await through(where)))
Promise.all(tried).then((all) => { console.log(JSON.stringify(all)); process.exit() })`
