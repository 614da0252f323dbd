/**
 * Takes over the network namespace it is run in: from then on every address there is leads to this program. Says a line for
 * each connection to port 80 (`tcp ADDRESS`), for each name it is asked for by UDP or TCP (`name NAME`), and for each word
 * sent to port 443 by UDP (`word WORD`); `ready` comes first. Ends with its input.
 */
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { readQuestion } from '@toolhaven/testing/dns-question'

const say = (line: string) => void process.stdout.write(`${line}\n`)

// Some engines take IPv6 from the loopback.
writeFileSync('/proc/sys/net/ipv6/conf/lo/disable_ipv6', '0')
execFileSync('ip', ['link', 'set', 'lo', 'up'])
execFileSync('ip', ['-4', 'route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo'])
execFileSync('ip', ['-6', 'route', 'add', 'local', '::/0', 'dev', 'lo'])

await listenTcp(80, (socket) => {
  say(`tcp ${socket.localAddress?.replace('::ffff:', '')}`)
  socket.end()
})
await listenTcp(53, (socket) => {
  // Two bytes say how long a question is.
  socket.once('data', (data: Buffer) => say(`name ${readQuestion(data.subarray(2)).name}`))
})
await listenUdp(53, (message) => say(`name ${readQuestion(message).name}`))
await listenUdp(443, (message) => say(`word ${message.toString('utf8')}`))
say('ready')
process.stdin.resume().on('end', () => process.exit())

async function listenTcp(port: number, onConnection: (socket: Socket) => void): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    onConnection(socket)
  }).listen(port, '::')
  await once(server, 'listening')
}

async function listenUdp(port: number, onMessage: (message: Buffer) => void): Promise<void> {
  const socket = createSocket('udp6').on('message', onMessage).bind(port, '::')
  await once(socket, 'listening')
}
