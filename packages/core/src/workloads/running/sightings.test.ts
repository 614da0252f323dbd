import { ManualClock, settle } from '@toolhaven/fakes/manual-clock'
import { MemoryRecordStore, silentLogger } from '@toolhaven/fakes/memory-stores'
import { expect, test } from 'vitest'
import type { Sighting } from '../../ports/egress.ts'
import type { StoredSightings } from '../../ports/stores.ts'
import { createMasker } from '../../secrets/masker.ts'
import { Sightings } from './sightings.ts'

const API: Sighting = { host: 'api.example.com', port: 443, outcome: 'reached', speaks: 'tls' }

function make(store = new MemoryRecordStore<StoredSightings>(({ name }) => name)) {
  const clock = new ManualClock()
  const masker = createMasker()
  const stop = new AbortController()
  const sightings = new Sightings({ store, clock, masker, logger: silentLogger, shutdown: stop.signal })
  return { sightings, store, clock, masker, stop }
}

test('each place is kept once, with how often and when it was seen', async () => {
  const { sightings, clock } = make()
  sightings.add('web', API)
  await clock.advance(2_000)
  sightings.add('web', { ...API, speaks: 'other' })
  sightings.add('web', { ...API, outcome: 'unlisted', reason: 'why' })
  expect(sightings.of('web')).toMatchObject({
    since: '2026-01-01T00:00:00Z',
    places: [
      { count: 2, firstAt: '2026-01-01T00:00:00Z', lastAt: '2026-01-01T00:00:02Z', speaks: ['tls', 'other'] },
      { count: 1, outcome: 'unlisted', reason: 'why' },
    ],
  })
  expect(sightings.of('other')).toBeUndefined()
})

test('what was seen is there after a restart, and what came last is written when the daemon stops', async () => {
  const { sightings, store, clock, stop } = make()
  sightings.add('web', API)
  await settle()
  expect(store.records.get('web')?.places).toMatchObject([{ count: 1 }])
  sightings.add('web', API)
  sightings.add('web', API)
  await settle()
  // A busy server must not keep the disk busy.
  expect(store.records.get('web')?.places).toMatchObject([{ count: 1 }])
  await clock.advance(5_000)
  expect(store.records.get('web')?.places).toMatchObject([{ count: 3 }])
  sightings.add('web', API)
  stop.abort(new Error('the daemon stops'))
  await sightings[Symbol.asyncDispose]()
  const { sightings: next } = make(store)
  await next.load()
  expect(next.of('web')?.places).toMatchObject([{ ...{ host: 'api.example.com', port: 443 }, count: 4 }])
})

test('a full disk costs nothing but the copy on it', async () => {
  const { sightings, store } = make()
  store.failWith = new Error('no space')
  sightings.add('web', API)
  await settle()
  store.failWith = undefined
  sightings.add('web', API)
  await settle()
  expect(store.records.get('web')?.places).toMatchObject([{ count: 2 }])
})

test('a server that tries every name and every path fills neither the memory nor the disk', () => {
  const { sightings } = make()
  for (let at = 0; at < 600; at += 1) sightings.add('web', { ...API, host: `h${at}.example` })
  for (let at = 0; at < 60; at += 1)
    sightings.add('web', { ...API, host: 'h0.example', path: `/${at}/${'x'.repeat(999)}` })
  const record = sightings.of('web')
  expect(record?.places).toHaveLength(500)
  expect(record?.dropped).toBe(100)
  expect(record?.places[0]?.paths).toHaveLength(20)
  expect(record?.places[0]?.paths[0]).toHaveLength(200)
})

test('secrets are neither kept in paths nor in names', () => {
  const { sightings, masker } = make()
  masker.hold('web', ['hunter22'])
  sightings.add('web', { ...API, path: '/bot-hunter22/send' })
  sightings.add('web', { ...API, host: 'hunter22.evil.example', reason: 'hunter22.evil.example:443 is not listed' })
  expect(JSON.stringify(sightings.of('web'))).not.toContain('hunter22')
  expect(sightings.of('web')?.places).toMatchObject([{ outcome: 'reached' }, { outcome: 'unfit' }])
})

test('starting over forgets what was seen, and a removed workload leaves nothing', async () => {
  const { sightings, store } = make()
  sightings.add('web', API)
  sightings.begin('web')
  expect(sightings.of('web')?.places).toEqual([])
  await sightings.forget('web')
  await settle()
  expect(sightings.of('web')).toBeUndefined()
  expect(store.records.size).toBe(0)
})
