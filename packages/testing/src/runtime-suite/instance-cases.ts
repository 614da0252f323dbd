import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { LABELS } from '@toolhaven/core/ports/runtime'
import { until } from '../testbed/until.ts'
import { signal, untilExited, untilSaid, type RuntimeCases } from './session.ts'

export const instanceCases: RuntimeCases = {
  'goes from created through running to exited with its exit code': async ({ runtime, create }) => {
    const handle = await create(['exit', '7'])
    expect(handle).toEqual(structuredClone(handle))
    expect(await runtime.inspect(handle, signal())).toEqual({ state: 'created' })
    await runtime.start(handle, signal())
    const end = await untilExited(runtime, handle)
    expect(end).toMatchObject({ exitCode: 7, oomKilled: false })
    expect(Date.parse(end.finishedAt)).not.toBeNaN()
  },

  'is running with the time it started': async ({ runtime, open }) => {
    const { handle, pipe } = await open(['polite'])
    await untilSaid(pipe, 'ready')
    const state = await runtime.inspect(handle, signal())
    expect(state).toMatchObject({ state: 'running', startedAt: expect.any(String) })
    expect(state.state === 'running' && Date.parse(state.startedAt)).not.toBeNaN()
  },

  'passes arguments and environment through untouched': async ({ run }) => {
    const odd = ['--flag', 'two words', '$HOME `id` "quoted" \'single\'', '', 'ünïcode', '-e']
    expect(JSON.parse((await run(['args', ...odd])).stdout)).toEqual(odd)
    const env = { PLAIN: 'x', ODD: 'a=b "c" $d \n second line', EMPTY: '' }
    expect(JSON.parse((await run(['facts'], { env })).stdout).env).toMatchObject(env)
  },

  'refuses a NUL, which could begin an option of its own': async ({ runtime, create }) => {
    const refusal = { code: 'invalid', message: expect.stringContaining('contains a NUL character') }
    const start = async (args: string[], env: Record<string, string>) => {
      const handle = await create(args, { env })
      await runtime.start(handle, signal()).finally(() => runtime.remove(handle, signal()))
    }
    await expect(start(['facts'], { A: 'x\0--bind\0/\0/tmp/leak' })).rejects.toMatchObject(refusal)
    await expect(start(['args', 'x\0y'], {})).rejects.toMatchObject(refusal)
  },

  'is removed while it starts, with whatever runs by then': async ({ runtime, create }) => {
    const handle = await create(['polite'])
    const starting = runtime.start(handle, signal()).catch(() => undefined)
    await runtime.remove(handle, signal())
    await starting
    await runtime.remove(handle, signal())
    expect(await runtime.inspect(handle, signal())).toEqual({ state: 'absent' })
    expect(await runtime.find(handle.name, signal())).toBeUndefined()
  },

  'asks politely first when it stops': async ({ runtime, open }) => {
    const { handle, pipe } = await open(['polite'])
    await untilSaid(pipe, 'ready')
    await runtime.stop(handle, 20_000, signal())
    expect(await runtime.inspect(handle, signal())).toMatchObject({ state: 'exited', exitCode: 0 })
    await pipe.closed
    expect(pipe.stdout()).toContain('asked to end')
  },

  'kills what does not end within the grace period': async ({ runtime, open }) => {
    const { handle, pipe } = await open(['stubborn'])
    await untilSaid(pipe, 'ready')
    await runtime.stop(handle, 1000, signal())
    const state = await runtime.inspect(handle, signal())
    expect(state.state).toBe('exited')
    expect(state.state === 'exited' && state.exitCode).not.toBe(0)
    expect(pipe.stdout()).toContain('not yet')
  },

  'kills descendants too': async ({ runtime, open, sharedFolder }) => {
    const folder = await sharedFolder()
    const { handle } = await open(['family', '/shared/beat'], {
      mounts: [{ hostPath: folder, containerPath: '/shared', readOnly: false }],
    })
    const beat = () => readFile(join(folder, 'beat'), 'utf8').catch(() => undefined)
    await until('the child beats', beat)
    await runtime.stop(handle, 100, signal())
    const last = await beat()
    await delay(300)
    expect(await beat()).toBe(last)
  },

  'stops and removes again and again without complaint': async ({ runtime, open }) => {
    const { handle, pipe } = await open(['polite'])
    await untilSaid(pipe, 'ready')
    await runtime.stop(handle, 5000, signal())
    await runtime.stop(handle, 5000, signal())
    await runtime.remove(handle, signal())
    await runtime.remove(handle, signal())
    await runtime.stop(handle, 5000, signal())
    expect(await runtime.inspect(handle, signal())).toEqual({ state: 'absent' })
  },

  'removes an instance that still runs': async ({ runtime, open }) => {
    const { handle, pipe } = await open(['stubborn'])
    await untilSaid(pipe, 'ready')
    await runtime.remove(handle, signal())
    expect(await runtime.inspect(handle, signal())).toEqual({ state: 'absent' })
    await pipe.closed
  },

  'starts again after it was stopped': async ({ runtime, open }) => {
    const { handle, pipe } = await open(['polite'])
    await untilSaid(pipe, 'ready')
    await runtime.stop(handle, 5000, signal())
    await runtime.start(handle, signal())
    expect(await runtime.inspect(handle, signal())).toMatchObject({ state: 'running' })
  },

  'finds by exact name, never by a part of it': async ({ runtime, create, uniqueName }) => {
    const short = uniqueName()
    const long = await create(['echo'], { name: `${short}-b` })
    expect(await runtime.find(short, signal())).toBeUndefined()
    expect(await runtime.find('.*', signal())).toBeUndefined()
    const a = await create(['echo'], { name: short })
    expect((await runtime.find(short, signal()))?.handle).toEqual(a)
    await runtime.remove(a, signal())
    expect((await runtime.find(long.name, signal()))?.handle).toEqual(long)
    expect(await runtime.find(short, signal())).toBeUndefined()
  },

  'lists by label, running or not': async ({ runtime, create, open, spec, owner }) => {
    const still = await create(['echo'])
    const { handle: live } = await open(['polite'])
    const labels = { ...spec(['echo']).labels, color: 'green' }
    const green = await create(['echo'], { labels })
    const names = async (wanted: Record<string, string>) =>
      (await runtime.list(wanted, signal())).map((found) => found.handle.name).toSorted()
    expect(await names({ [LABELS.instance]: owner })).toEqual([still.name, live.name, green.name].toSorted())
    expect(await names({ [LABELS.instance]: owner, color: 'green' })).toEqual([green.name])
    expect(await names({ [LABELS.instance]: owner, color: 'blue' })).toEqual([])
    const listed = await runtime.list({ [LABELS.instance]: owner }, signal())
    expect(listed.find((found) => found.handle.name === live.name)).toMatchObject({ handle: live, state: 'running' })
    expect(listed.find((found) => found.handle.name === still.name)?.state).toBe('created')
  },

  'replaces a leftover of its own name': async ({ runtime, create }) => {
    const old = await create(['echo'])
    const fresh = await create(['exit', '3'], { name: old.name })
    expect(fresh.id).not.toBe(old.id)
    await runtime.start(fresh, signal())
    expect((await untilExited(runtime, fresh)).exitCode).toBe(3)
    expect(await runtime.inspect(old, signal())).toEqual({ state: 'absent' })
  },

  "leaves another owner's instance of the same name alone": async ({ runtime, create, spec }) => {
    const labels = { ...spec(['echo']).labels, [LABELS.instance]: 'somebody-else' }
    const theirs = await create(['echo'], { labels })
    const attempt = runtime.create(spec(['echo'], { name: theirs.name }), signal())
    await expect(attempt).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(theirs.name) })
    expect(await runtime.inspect(theirs, signal())).toEqual({ state: 'created' })
  },

  'is known to a new adapter object by its stored handle': async ({ runtime, under, open, capabilities }, skip) => {
    if (!capabilities.survivesDaemon) return skip('instances of this runtime end with the daemon')
    const { handle, pipe } = await open(['polite'])
    await untilSaid(pipe, 'ready')
    await using other = await under.reopen()
    const stored: typeof handle = JSON.parse(JSON.stringify(handle))
    expect(await other.inspect(stored, signal())).toEqual(await runtime.inspect(handle, signal()))
    await other.stop(stored, 5000, signal())
    expect(await runtime.inspect(handle, signal())).toMatchObject({ state: 'exited' })
  },
}
