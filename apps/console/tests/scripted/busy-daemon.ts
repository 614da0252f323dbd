import type { Workload } from '@toolhaven/contract/workloads'
import { startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { consolePage, listenInTest } from '../../../../e2e/src/listen-in-test.ts'
import { consoleFolder } from '../../../../tools/console-build.ts'

export interface BusyDaemon extends AsyncDisposable {
  url: string
  /** Sends so many events, evenly over the time. */
  send: (count: number, milliseconds: number) => Promise<void>
}

/** A daemon with so many servers, whose events are written here: what is measured is the page, not the daemon. */
export async function startBusyDaemon(servers: number): Promise<BusyDaemon> {
  const fake = await startFakeDaemon({ page: consolePage(consoleFolder) })
  const first = await firstServer(fake)
  const list = Array.from({ length: servers }, (_, at): Workload => ({ ...first, name: `server-${at}` }))
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>()
  const answer = (request: Request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/api/v1beta/workloads') return Response.json({ workloads: list })
    return pathname === '/api/v1beta/events' ? streamTo(streams, request.signal) : fake.app.fetch(request)
  }
  const listener = await listenInTest({ fetch: answer })
  let turn = 0
  const sendOne = () => {
    turn += 1
    const at = (turn * 7) % servers
    const before = list[at] ?? first
    const status = before.status === 'running' ? 'starting' : 'running'
    list[at] = { ...before, status, status_context: status === 'starting' ? `step ${turn} of its start` : '' }
    const event = { workload: before.name, status, status_context: list[at].status_context }
    const text = new TextEncoder().encode(`event: workload\ndata: ${JSON.stringify(event)}\n\n`)
    for (const stream of streams) stream.enqueue(text)
  }
  return {
    url: listener.url,
    send: async (count, milliseconds) => {
      const begin = performance.now()
      for (let sent = 0; sent < count; sent += 1) {
        sendOne()
        const wait = begin + ((sent + 1) * milliseconds) / count - performance.now()
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const stream of streams) stream.close()
      fake[Symbol.dispose]()
      await listener[Symbol.asyncDispose]()
    },
  }
}

async function firstServer(fake: Awaited<ReturnType<typeof startFakeDaemon>>): Promise<Workload> {
  const body = JSON.stringify({ name: 'server', image: 'npx://everything@1.0.0' })
  const headers = { 'content-type': 'application/json' }
  await fake.app.request('/api/v1beta/workloads', { method: 'POST', body, headers })
  await settle()
  const answer: { workloads: Workload[] } = await (await fake.app.request('/api/v1beta/workloads')).json()
  const [first] = answer.workloads
  if (!first) throw new Error('the fake daemon has no server')
  return first
}

function streamTo(streams: Set<ReadableStreamDefaultController<Uint8Array>>, signal: AbortSignal): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      streams.add(controller)
      signal.addEventListener('abort', () => streams.delete(controller))
      controller.enqueue(new TextEncoder().encode(': beat\n\n'))
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
