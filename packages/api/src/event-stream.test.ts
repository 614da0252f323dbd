import { describe, expect, test } from 'vitest'
import { type FakeDaemon, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { changeEvent, workloadEvent } from '@toolhaven/contract/events'
import { workloadLogLine } from '@toolhaven/contract/system'
import { ask, done, scenario } from '@toolhaven/testing/scenario'
import { eventStream } from './event-stream.ts'

interface Reading {
  events: () => { event: string; data: unknown }[]
  cancel: () => Promise<void>
  isDone: () => boolean
}

/** Reads a stream in the background. */
async function read(fake: FakeDaemon, request: string): Promise<Reading> {
  const response = await ask(fake, request)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let isDone = false
  const pump = async () => {
    for (;;) {
      const { done: isOver, value } = await reader.read()
      if (isOver) break
      text += value
    }
    isDone = true
  }
  void pump()
  await settle()
  return {
    events: () =>
      [...text.matchAll(/^event: (.*)\ndata: (.*)\n$/gm)].map(([, event = '', data = '']) => ({
        event,
        data: JSON.parse(data),
      })),
    cancel: () => reader.cancel(),
    isDone: () => isDone,
  }
}

const web = (fake: FakeDaemon) =>
  done(fake, 'POST /api/v1beta/workloads', {
    name: 'web',
    image: 'npx://web@1.0.0',
    permission_profile: { name: 'none' },
  })

describe('the stream of events', () => {
  test('tells what is true now, then each change, each in the form of the contract', async () => {
    using fake = await startFakeDaemon()
    await web(fake)
    const stream = await read(fake, 'GET /api/v1beta/events')
    expect(stream.events()).toEqual([
      { event: 'workload', data: { workload: 'web', status: 'running', status_context: '' } },
    ])
    await done(fake, 'POST /api/v1beta/workloads/web/restart')
    await done(fake, 'DELETE /api/v1beta/workloads/web')
    const seen = stream.events().map(({ data }) => workloadEvent.parse(data))
    expect(seen.map(({ status }) => status).filter((status, at, all) => status !== all[at - 1])).toEqual([
      'running',
      'starting',
      'running',
      'removing',
      'removed',
    ])
    expect(seen.find(({ progress }) => progress?.phase === 'pulling')).toMatchObject({
      progress: { done: 43, total: 100 },
      status_context: 'pulling npx://web@1.0.0, 43 %',
    })
    await stream.cancel()
  })

  test('ends when the daemon stops', async () => {
    const fake = await startFakeDaemon()
    const stream = await read(fake, 'GET /api/v1beta/events')
    fake[Symbol.dispose]()
    await settle()
    expect(stream.isDone()).toBe(true)
  })

  test('that its reader left does not disturb the stop of the daemon', async () => {
    const errors: unknown[] = []
    const note = (error: unknown) => errors.push(error)
    process.on('uncaughtException', note)
    const fake = await startFakeDaemon()
    const stream = await read(fake, 'GET /api/v1beta/events')
    await stream.cancel()
    await settle()
    await web(fake)
    fake[Symbol.dispose]()
    await settle()
    process.off('uncaughtException', note)
    expect(errors).toEqual([])
  })

  test('tells what else changed: groups, clients, secrets, registry, tools, isolation and settings', async () => {
    using fake = await startFakeDaemon()
    await web(fake)
    const stream = await read(fake, 'GET /api/v1beta/events')
    const changes = async (work: () => unknown) => {
      const before = stream.events().length
      await work()
      await settle()
      return stream
        .events()
        .slice(before)
        .filter(({ event }) => event === 'change')
        .map(({ data }) => changeEvent.parse(data))
    }
    const ask = (request: string, body?: unknown) => changes(() => done(fake, request, body))
    expect(await ask('POST /api/v1beta/groups', { name: 'research' })).toEqual([{ about: 'group', name: 'research' }])
    expect(await ask('POST /api/v1beta/clients', { name: 'Cursor', groups: ['research'] })).toEqual([
      { about: 'group', name: 'research' },
      { about: 'client', name: 'Cursor' },
    ])
    expect(await ask('DELETE /api/v1beta/clients/Cursor')).toEqual([
      { about: 'group', name: 'research' },
      { about: 'client', name: 'Cursor' },
    ])
    expect(await ask('POST /api/v1beta/secrets', { provider_type: 'encrypted' })).toEqual([{ about: 'secret' }])
    expect(await ask('POST /api/v1beta/secrets/default/keys', { key: 'k', value: 'hidden' })).toEqual([
      { about: 'secret', name: 'k' },
    ])
    expect(await ask('DELETE /api/v1beta/secrets/default/keys/k')).toEqual([{ about: 'secret', name: 'k' }])
    expect(await ask('PUT /api/v1beta/registry/default', {})).toEqual([{ about: 'registry', name: 'default' }])
    expect(await ask('PUT /api/v1beta/config', { api_port: 9000 })).toEqual([{ about: 'settings' }])
    const definitions = [{ name: 'echo', hash: 'h', definition: '{}' }]
    const seeTools = () => fake.gateway.events.onDefinitions?.('web', 'tool', { revision: 'r', definitions })
    expect(await changes(seeTools)).toEqual([{ about: 'tools', name: 'web' }])
    const place = { host: 'example.com', port: 443, outcome: 'refused' } as const
    expect(await changes(() => fake.egress.events.onSeen?.('web', place))).toEqual([
      { about: 'isolation', name: 'web' },
    ])
    await stream.cancel()
  })

  test('tells a reader that fell behind how much it missed, and then what is true', async () => {
    let send = (_event: string, _data: string) => {}
    const end = new AbortController()
    const start = (give: typeof send) => {
      send = give
      return () => {}
    }
    const response = eventStream(end.signal, start, { afterGap: (give) => give('x', 'now') })
    for (let at = 0; at < 20_000; at += 1) send('x', String(at))
    const reading = response.text()
    await settle()
    send('x', 'later')
    end.abort()
    const text = await reading
    expect(text).toMatch(/\nevent: gap\ndata: \{"missed":20000\}\n\nevent: x\ndata: now\n\nevent: x\ndata: later\n\n$/)
    expect(text).not.toContain('data: 5\n')
  })

  test('keeps the newest events for a reader that fell behind where nothing can be read again', async () => {
    let send = (_event: string, _data: string) => {}
    const end = new AbortController()
    const response = eventStream(end.signal, (give) => {
      send = give
      return () => {}
    })
    const line = 'x'.repeat(1024)
    for (let at = 0; at < 20_000; at += 1) send('line', `${line}${at}`)
    end.abort()
    const text = await response.text()
    const missed = Number(/event: gap\ndata: \{"missed":(\d+)\}/.exec(text)?.[1])
    expect([...text.matchAll(/^event: line$/gm)].length + missed).toBe(20_000)
    expect(text.endsWith(`${line}19999\n\n`)).toBe(true)
    expect(text.length).toBeLessThan(5 * 1024 * 1024)
  })

  test('that begins after the end is closed at once', async () => {
    const gone = new AbortController()
    gone.abort()
    const response = eventStream(gone.signal, (send) => {
      send('x', '1')
      return () => {}
    })
    const answer = await Promise.race([response.text(), settle().then(() => 'still open')])
    expect(answer).not.toBe('still open')
  })
})

describe('following logs', () => {
  test('gives the last lines, then each new one', async () => {
    using fake = await startFakeDaemon()
    await web(fake)
    for (let line = 1; line <= 103; line += 1) fake.logs.append('web', 'stdout', `old ${line}`)
    const stream = await read(fake, 'GET /api/v1beta/workloads/web/logs/follow')
    expect(stream.events()).toHaveLength(100)
    expect(stream.events()[0]).toEqual({ event: 'line', data: 'old 4' })
    fake.logs.append('web', 'stderr', 'new\nline "quoted"')
    await settle()
    expect(stream.events().at(-1)).toEqual({ event: 'line', data: 'new\nline "quoted"' })
    await stream.cancel()
    fake.logs.append('web', 'stderr', 'after')
    await settle()
  })

  scenario('of an unknown workload', {
    request: 'GET /api/v1beta/workloads/ghost/logs/follow',
    answers: { status: 404, text: /^workload ghost not found/ },
  })

  test('of several workloads gives each line with its workload, with secrets masked, and goes on when one is removed', async () => {
    using fake = await startFakeDaemon()
    await web(fake)
    await done(fake, 'POST /api/v1beta/workloads', { name: 'db', image: 'npx://db@1.0.0' })
    fake.daemon.workloads.masker.hold('db', ['hunter22'])
    for (const name of ['web', 'db']) for (const line of [1, 2, 3]) fake.logs.append(name, 'stdout', `${name} ${line}`)
    const stream = await read(fake, 'GET /api/v1beta/logs/follow?workloads=web,db,web&tail=2')
    await settle()
    const lines = () => stream.events().map(({ data }) => workloadLogLine.parse(data))
    const texts = () => lines().map(({ workload, text }) => `${workload}: ${text}`)
    expect(texts().toSorted()).toEqual(['db: db 2', 'db: db 3', 'web: web 2', 'web: web 3'])
    await done(fake, 'DELETE /api/v1beta/workloads/web')
    await settle()
    fake.logs.append('db', 'stderr', 'the key hunter22')
    await settle()
    expect(texts().at(-1)).toMatch(/^db: the key (?!hunter22)/)
    await stream.cancel()
  })

  scenario('of several workloads of which one is unknown', {
    given: web,
    request: 'GET /api/v1beta/logs/follow?workloads=web,ghost',
    answers: { status: 404, text: /^workload ghost not found/ },
  })

  for (const [query, told] of [
    ['', /^workloads: /],
    ['?workloads=', /^workloads/],
    ['?workloads=web,..%2f', /^workloads/],
    [`?workloads=${Array.from({ length: 101 }, (_, at) => `w${at}`).join(',')}`, /^workloads/],
  ] as const)
    scenario(`of several workloads with ${query.slice(0, 30) || 'no names'}`, {
      request: `GET /api/v1beta/logs/follow${query}`,
      answers: { status: 400, text: told },
    })
})
