import { expect } from 'vitest'
import { isThvError } from '@toolhaven/core/errors'
import type { Progress, Source } from '@toolhaven/core/ports/runtime'
import { signal, type RuntimeCases } from './session.ts'

export const sourceCases: RuntimeCases = {
  'says what it is and which sandbox is in force': async ({ runtime, capabilities }) => {
    const health = await runtime.probe(signal())
    expect(health).toMatchObject({ state: 'healthy', version: expect.stringMatching(/\d/) })
    expect(capabilities.sandbox).not.toBe('')
  },

  'tells in its notes about each limit it cannot enforce': async ({ runtime, capabilities }) => {
    const health = await runtime.probe(signal())
    const notes = health.state === 'healthy' ? health.notes : []
    expect(notes).toEqual(expect.arrayContaining(Object.values(capabilities.unenforced)))
  },

  'finds a source prepared before without fetching or building it again': async ({ runtime, under, prepared }) => {
    const seen: Progress[] = []
    const again = await runtime.prepare(under.fixture, { pull: 'if-absent', onProgress: (p) => seen.push(p) }, signal())
    expect(again.id).toBe(prepared.id)
    expect(seen.map((p) => p.phase)).not.toContain('building')
    expect(seen.map((p) => p.phase)).not.toContain('pulling')
    expect(seen.map((p) => p.phase)).not.toContain('fetching')
  },

  'says which source nobody can supply': async ({ runtime, under }) => {
    const attempt = runtime.prepare(under.absent, { pull: 'if-absent', onProgress: () => {} }, signal())
    const error: unknown = await attempt.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    const wanted = nameOf(under.absent)
    expect(isThvError(error, 'not-found'), String(error)).toBe(true)
    expect(String(error)).toContain(wanted)
  },

  'stops preparing when it is told to': async ({ runtime, under }) => {
    const reason = new Error('changed my mind')
    const attempt = runtime.prepare(under.absent, { pull: 'always', onProgress: () => {} }, AbortSignal.abort(reason))
    await expect(attempt).rejects.toBe(reason)
  },

  'is unavailable, not broken, when its engine does not answer': async ({ under, spec }, skip) => {
    if (under.unreachable === undefined) return skip('this runtime has no engine that could be away')
    await using away = await under.unreachable()
    expect((await away.probe(signal())).state).not.toBe('healthy')
    const handle = { runtime: away.name, id: 'x', name: 'x' }
    const attempts: [string, () => Promise<unknown>][] = [
      ['inspect', () => away.inspect(handle, signal())],
      ['create', () => away.create(spec(['echo']), signal())],
      ['start', () => away.start(handle, signal())],
      ['stop', () => away.stop(handle, 10, signal())],
      ['remove', () => away.remove(handle, signal())],
      ['list', () => away.list({}, signal())],
      ['find', () => away.find('x', signal())],
      ['attach', () => away.attach(handle, signal())],
      ['logs', () => drain(away.logs(handle, {}, signal()))],
      ['events', () => drain(away.events(signal()))],
    ]
    for (const [call, attempt] of attempts) {
      await expect(attempt(), call).rejects.toMatchObject({ code: 'unavailable' })
    }
  },
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

function nameOf(source: Source): string {
  if (source.kind === 'folder') return source.path
  return source.kind === 'image' ? source.reference : source.name
}
