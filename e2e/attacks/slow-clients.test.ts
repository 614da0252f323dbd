import { execFile } from 'node:child_process'
import { get } from 'node:http'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { rotationFrom } from '@toolhaven/testing/rotation'
import { until } from '@toolhaven/testing/testbed/until'
import type { Weakness } from '../src/attacks/build.ts'
import { describeAttack, type Gains } from '../src/attacks/describe-attack.ts'
import { openTarget, type Target } from '../src/attacks/target.ts'

const BOUNDS = 'packages/gateway/src/http/server/bounded-server.ts'
const NO_TIME_LIMITS: Weakness = {
  file: BOUNDS,
  find: '  headersTimeout: 10_000,\n  requestTimeout: 60_000,\n',
  replace: '  headersTimeout: 0,\n  requestTimeout: 0,\n',
}

interface Port {
  port: number
  /** The path that accepts bodies. */
  path: string
}

const portsOf = ({ daemon, port }: Target): Readonly<Record<string, Port>> => ({
  'the API': { port: daemon.port, path: '/api/v1beta/workloads' },
  'a workload': { port, path: '/mcp' },
})

const head = ({ port, path }: Port) => `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`

/** Requests that never end. */
const SLOW: Readonly<Record<string, (to: Port) => string>> = {
  'says nothing': () => '',
  'sends half a head': (to) => `${head(to)}X-Slow: `,
  'sends half a body': (to) => `${head(to)}Content-Type: application/json\r\nContent-Length: 999\r\n\r\n{`,
}

interface SlowClients extends Disposable {
  stillOpen: () => number
}

async function openSlowClients({ port }: Port, words: readonly string[]): Promise<SlowClients> {
  const sockets = words.map((said) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(said)).on('error', () => undefined)
    // Read, so that the end of the connection is seen.
    return socket.resume()
  })
  await Promise.all(sockets.map((socket) => new Promise((done) => socket.once('connect', done).once('close', done))))
  return {
    stillOpen: () => sockets.filter(({ closed }) => !closed).length,
    [Symbol.dispose]: () => void sockets.map((socket) => socket.destroy()),
  }
}

/** Over a new connection, not an existing one. */
async function isAnswered({ port }: Port): Promise<boolean> {
  const asked = get({ port, host: '127.0.0.1', path: '/health', agent: false, signal: AbortSignal.timeout(5000) })
  const answer = Promise.withResolvers<boolean>()
  asked.on('error', () => answer.resolve(false))
  asked.on('response', ({ statusCode = 0 }) => answer.resolve(statusCode >= 200 && statusCode < 300))
  const isGood = await answer.promise
  asked.destroy()
  return isGood
}

describeAttack('a thousand half-open requests', {
  defence: 'the bounds on connections that wait',
  weaknesses: [
    {
      file: 'packages/gateway/src/http/server/connections.ts',
      find: 'if (this.#open.size > this.#limits.most && this.#timer === undefined) this.#makeRoom()',
      replace: '',
    },
    NO_TIME_LIMITS,
  ],
  attack: async (build) => {
    await using target = await openTarget(build)
    // As many as a daemon gets on many machines. Where it gets more, more clients do the same.
    await promisify(execFile)('prlimit', ['--pid', String(target.daemon.pid), '--nofile=900:900'])
    const gains: Record<string, boolean> = {}
    for (const [what, to] of Object.entries(portsOf(target))) {
      // A client that sends a whole head may get a refusal when no file can be opened, and so make room for others.
      const words = ['', `${head(to)}X-Slow: `]
      const some = (pairs: number) => openSlowClients(to, Array.from({ length: pairs }, () => words).flat())
      using slow = await some(500)
      using more = new DisposableStack()
      // Now and then one of the daemon's own files becomes free: a client that gets that one once is not let in yet.
      let answeredInTurn = 0
      const areOthersOut = () => answeredInTurn < 3
      const areMostKept = () => slow.stillOpen() > 600
      const isOver = async () => {
        // What becomes free is taken again.
        more.use(await some(10))
        answeredInTurn = (await isAnswered(to)) ? answeredInTurn + 1 : 0
        return !areOthersOut() && !areMostKept()
      }
      await until('others to be answered', isOver, 15_000).catch(() => undefined)
      gains[`keep others out of ${what}`] = areOthersOut()
      gains[`keep the connections they made to ${what}`] = areMostKept()
    }
    return gains
  },
})

// It tests time limits, and takes as long as they do: minutes.
if (rotationFrom(process.env).full)
  describeAttack('a few half-open requests', {
    defence: 'the time limits of requests',
    weaknesses: [NO_TIME_LIMITS],
    attack: async (build) => {
      await using target = await openTarget(build)
      using clients = new DisposableStack()
      const open: Record<string, SlowClients> = {}
      for (const [what, to] of Object.entries(portsOf(target)))
        for (const [does, say] of Object.entries(SLOW))
          open[`${does} to ${what} for ever`] = clients.use(await openSlowClients(to, [say(to)]))
      const isOver = () => Object.values(open).every((client) => client.stillOpen() === 0)
      await until('all to be ended', isOver, 100_000).catch(() => undefined)
      return Object.fromEntries(
        Object.entries(open).map(([does, client]) => [does, client.stillOpen() > 0]),
      ) satisfies Gains
    },
  })
