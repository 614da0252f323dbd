import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { z } from 'zod'
import { LABELS } from '@toolhaven/core/ports/runtime'
import { engineMust } from '../testbed/engine-http.ts'
import { until } from '../testbed/until.ts'
import { forwardingCases, getThrough } from './forwarding-cases.ts'
import { signal, type RuntimeCases, type Session } from './session.ts'
import { openWayOut } from './way-out.ts'

/**
 * Isolation on an engine that shares no folders with the daemon: everything that holds where it does, and what is new.
 */
export const volumeCases: RuntimeCases = {
  ...forwardingCases,

  'says that isolated servers are connected through volumes': async ({ runtime }) => {
    // On a busy machine an engine may take longer to describe itself than the limit.
    const notes = await until('the engine describes itself', async () => {
      const health = await runtime.probe(signal())
      return health.state === 'healthy' && health.notes
    })
    expect(notes).toContainEqual(expect.stringContaining('through volumes'))
  },

  'leaves no container and no volume behind': async (session) => {
    await using out = await openWayOut()
    const { handle } = await session.open(['http', '8125'], { network: out.way, targetPort: 8125, stdio: false })
    expect(await leftOf(session, handle.name)).toEqual({ containers: 3, volumes: 3 })
    await session.runtime.remove(handle, signal())
    expect(await leftOf(session, handle.name)).toEqual({ containers: 0, volumes: 0 })
  },

  'has volumes removed whose containers are gone, with the next look at all that is ours': async (session) => {
    const { runtime, open, owner } = session
    const { handle } = await open(['http', '8129'], { network: 'none', targetPort: 8129, stdio: false })
    for (const { Id } of await containersOf(session, handle.name))
      await engineMust(socketOf(session), 'DELETE', `/containers/${Id}?force=true`)
    expect(await leftOf(session, handle.name)).toEqual({ containers: 0, volumes: 3 })
    await runtime.list({ [LABELS.instance]: owner }, signal())
    expect(await leftOf(session, handle.name)).toEqual({ containers: 0, volumes: 0 })
  },

  'lets nobody through its door without the token': async (session) => {
    const { handle } = await session.open(['http', '8126'], { network: 'none', targetPort: 8126, stdio: false })
    const door = await doorOf(session, handle.name)
    for (const words of [`${'0'.repeat(64)}i`, 'GET / HTTP/1.1\r\n\r\n'.padEnd(65, ' '), `${'f'.repeat(64)}r`]) {
      const stranger = connect(door.port, '127.0.0.1')
      stranger.on('error', () => undefined).write(words)
      expect(await text(stranger).catch(() => '')).toBe('')
    }
    expect(door.hostAddress).toBe('127.0.0.1')
  },

  'is reached by the next daemon': async ({ runtime, under, open }) => {
    await using out = await openWayOut()
    const { handle } = await open(['http', '8127'], { network: out.way, targetPort: 8127, stdio: false })
    await runtime[Symbol.asyncDispose]()
    const next = await under.reopen()
    const state = await next.inspect(handle, signal())
    const socketPath = (state.state === 'running' && state.address?.socketPath) || ''
    expect(await until('it answers', () => getThrough(socketPath, '/y').catch(() => undefined))).toBe('hello from /y')
    await next.remove(handle, signal())
    await next[Symbol.asyncDispose]()
  },

  'ends with its door': async (session) => {
    const { handle } = await session.open(['http', '8128'], { network: 'none', targetPort: 8128, stdio: false })
    const { id } = await doorOf(session, handle.name)
    await engineMust(socketOf(session), 'POST', `/containers/${id}/kill?signal=SIGKILL`)
    const gone = async () => (await session.runtime.inspect(handle, signal())).state === 'exited'
    await until('the server ended too', gone)
  },
}

const containersSchema = z.array(
  z.looseObject({
    Id: z.string(),
    Names: z.array(z.string()),
    Ports: z.array(z.looseObject({ PublicPort: z.number().optional(), IP: z.string().optional() })).nullish(),
  }),
)
const volumesSchema = z.looseObject({ Volumes: z.array(z.looseObject({ Name: z.string() })).nullish() })

function socketOf({ under }: Session): string {
  if (under.engineSocket === undefined) throw new Error('these cases are for engines')
  return under.engineSocket
}

async function containersOf(session: Session, name: string) {
  const answer = await engineMust(socketOf(session), 'GET', '/containers/json?all=true')
  const found = containersSchema
    .parse(JSON.parse(answer))
    .filter(({ Names }) => Names.some((each) => each.endsWith(name)))
  // The workload first, because the others hold its network.
  return found.toSorted((a, b) =>
    String(a.Names[0]).localeCompare(String(b.Names[0]), 'en', { ignorePunctuation: false }),
  )
}

async function leftOf(session: Session, name: string): Promise<{ containers: number; volumes: number }> {
  const { Volumes } = volumesSchema.parse(JSON.parse(await engineMust(socketOf(session), 'GET', '/volumes')))
  const volumes = (Volumes ?? []).filter(({ Name }) => Name.includes(name)).length
  return { containers: (await containersOf(session, name)).length, volumes }
}

async function doorOf(session: Session, name: string): Promise<{ id: string; port: number; hostAddress: string }> {
  const found = (await containersOf(session, name)).find(({ Names }) => Names.some((each) => each.includes('thvdoor-')))
  const [published] = found?.Ports?.filter(({ PublicPort }) => PublicPort !== undefined) ?? []
  if (found === undefined || published?.PublicPort === undefined) throw new Error(`${name} has no door`)
  return { id: found.Id, port: published.PublicPort, hostAddress: published.IP ?? '' }
}
