import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { StdioChannel } from '@toolhaven/core/ports/runtime'
import { isThvError } from '@toolhaven/core/errors'
import { freePort } from '@toolhaven/testing/free-port'
import { openTunnel } from './open-tunnel.ts'

/**
 * A program that serves on the first port, asks the target when it is asked itself, and writes to stdout in between.
 */
const PROGRAM = `
import { createServer } from 'node:http'
const [port, target] = process.argv.slice(1).map(Number)
console.log('chat on stdout')
createServer(async (request, response) => {
  if (request.url === '/exit') process.exit(7)
  if (request.url === '/options') return response.end(String(process.env.NODE_OPTIONS))
  if (request.url === '/large') return response.end(Buffer.alloc(3_000_000, 'x'))
  const body = await (await fetch('http://127.0.0.1:' + target + '/')).text()
  response.end('inside heard ' + body)
}).listen(port, '127.0.0.1')
`

test('a port outside leads to the one inside, whatever the program prints', async () => {
  const { tunnel, uiPort } = await start(await freePort())
  const page = async (path: string) => (await fetch(`http://127.0.0.1:${uiPort}${path}`)).text()
  expect(await page('/options')).toBe('undefined')
  expect((await page('/large')).length).toBe(3_000_000)
  expect((await Promise.all([page('/options'), page('/large'), page('/options')])).map((text) => text.length)).toEqual([
    9, 3_000_000, 9,
  ])
  await page('/exit').catch(() => undefined)
  expect(await tunnel.ended).toContain('chat on stdout')
})

test('what the program inside asks of the target arrives at the target', async () => {
  const target = await serve((host) => `the target, called ${host}`)
  const { uiPort, stand } = await start(target)
  const answer = await fetch(`http://127.0.0.1:${uiPort}/`)
  expect(await answer.text()).toBe(`inside heard the target, called 127.0.0.1:${stand}`)
})

test('a port that is taken is a conflict, and the others are given back', async () => {
  const taken = await serve(() => '')
  const free = await freePort()
  const failure = await open({ ports: [free, taken], target: { host: '127.0.0.1', port: 1 } }).catch(
    (error: unknown) => error,
  )
  expect(isThvError(failure, 'conflict')).toBe(true)
  await open({ ports: [free], target: { host: '127.0.0.1', port: 1 } })
})

test('a process that ends before it listens is told with its last words', async () => {
  const tunnel = await open({ ports: [await freePort()], target: { host: '127.0.0.1', port: await freePort() } })
  const child = spawn(process.execPath, ['-e', 'console.error("cannot go on"); process.exit(1)'])
  tunnel.connect(channelOf(child))
  await expect(tunnel.ready).rejects.toThrow('cannot go on')
})

test('another user of the machine is not let in', async () => {
  const uiPort = await freePort()
  const tunnel = await openTunnel({
    ports: [uiPort],
    target: { host: '127.0.0.1', port: 1 },
    allowPeer: () => false,
  })
  onTestFinished(() => tunnel[Symbol.asyncDispose]())
  await expect(fetch(`http://127.0.0.1:${uiPort}/`)).rejects.toThrow()
})

async function open(spec: Omit<Parameters<typeof openTunnel>[0], 'allowPeer'>) {
  const tunnel = await openTunnel({ ...spec, allowPeer: () => true })
  onTestFinished(() => tunnel[Symbol.asyncDispose]())
  return tunnel
}

/** Inside and outside share one loopback here, so the target needs two port numbers instead of one. */
async function start(target: number) {
  const [uiPort, inside, stand] = [await freePort(), await freePort(), await freePort()]
  const tunnel = await open({ ports: [uiPort], target: { host: '127.0.0.1', port: target } })
  const preload = tunnel.preload.replace(`main([${uiPort}], ${target})`, `main([${inside}], ${stand})`)
  tunnel.connect(channelOf(run(preload, [inside, stand])))
  await tunnel.ready
  return { tunnel, uiPort, stand }
}

function run(preload: string, ports: readonly number[]) {
  const option = `--import=data:text/javascript,${encodeURIComponent(preload)}`
  const args = ['--input-type=module', '--eval', PROGRAM, ...ports.map(String)]
  const child = spawn(process.execPath, args, { env: { NODE_OPTIONS: option }, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

function channelOf(child: ReturnType<typeof run>): StdioChannel {
  const channel: StdioChannel = {
    onStdout: () => undefined,
    onStderr: () => undefined,
    onClose: () => undefined,
    write: async (text) => {
      const chunk = typeof text === 'string' ? text : Buffer.concat(text)
      if (!child.stdin.write(chunk)) await once(child.stdin, 'drain')
    },
    pause: () => child.stdout.pause(),
    resume: () => child.stdout.resume(),
    close: () => child.stdin.end(),
  }
  child.stdin.on('error', () => undefined)
  child.stdout.on('data', (chunk: Buffer) => channel.onStdout(chunk))
  child.stderr.on('data', (chunk: Buffer) => channel.onStderr(chunk))
  child.once('close', () => channel.onClose())
  return channel
}

async function serve(answer: (host: string) => string): Promise<number> {
  const server = createServer((request, response) => {
    response.end(answer(request.headers.host ?? ''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return portOf(server.address())
}

function portOf(address: AddressInfo | string | null): number {
  return address !== null && typeof address === 'object' ? address.port : 0
}
