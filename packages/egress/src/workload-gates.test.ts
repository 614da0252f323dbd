import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { OutboundRules, Sighting, WayOut } from '@toolhaven/core/ports/egress'
import { askName } from '../test/support/ask-name.ts'
import { rules, temporaryFolder } from '../test/support/scene.ts'
import { createWorkloadGates, type WorkloadGatesOptions } from './workload-gates.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

async function makeGates(change: Partial<WorkloadGatesOptions> = {}) {
  const folder = await temporaryFolder()
  const blocked: string[] = []
  const seen: { workload: string; sighting: Sighting }[] = []
  const gates = createWorkloadGates({
    folder,
    instanceId: 'one',
    logger: silent,
    events: {
      onBlocked: (workload, reason) => void blocked.push(`${workload}: ${reason}`),
      onSeen: (workload, sighting) => void seen.push({ workload, sighting }),
    },
    resolve: async () => [],
    ...change,
  })
  onTestFinished(() => gates[Symbol.asyncDispose]())
  return { gates, blocked, seen, folder }
}

async function ask(path: string, host: string): Promise<string> {
  const socket = connect(path)
  await once(socket, 'connect')
  socket.write(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  return text(socket)
}

async function addressOf({ folder, names }: WayOut, host: string): Promise<string | undefined> {
  const { answers = [] } = await askName(join(folder, names), host)
  const [answer] = answers
  return answer?.type === 'A' ? answer.data : undefined
}

describe('the gates of workloads', () => {
  it('are in folders of their own, for the user of the daemon alone', async () => {
    const { gates } = await makeGates()
    const one = await gates.open('one', rules({ allowHost: ['a.example'] }))
    const two = await gates.open('two', rules({ allowHost: ['a.example'] }))
    expect(one.folder).not.toBe(two.folder)
    expect((await stat(one.folder)).mode & 0o777).toBe(0o700)
    for (const file of await readdir(one.folder)) expect((await stat(join(one.folder, file))).mode & 0o777).toBe(0o600)
  })

  it('keep two installations that share a folder apart', async () => {
    const { gates, folder } = await makeGates()
    const { gates: others } = await makeGates({ folder, instanceId: 'two' })
    const given = rules({ allowHost: ['a.example'] })
    expect((await gates.open('same', given)).folder).not.toBe((await others.open('same', given)).folder)
  })

  it('name the ports on which programs are led out without a proxy', async () => {
    const { gates } = await makeGates()
    const ports = async (change: Partial<OutboundRules>) => (await gates.open('w', rules(change))).ports
    expect(await ports({ allowHost: ['a.example', '*.b.example'] })).toEqual([80, 443])
    expect(await ports({ allowHost: ['a.example'], allowPort: [8443, 8443] })).toEqual([8443])
    expect(await ports({ allowHost: ['localhost:5432', '[fd00::1]:22'] })).toEqual([5432, 22])
    expect(await ports({ allowHost: ['localhost:5432', 'a.example'] })).toEqual([5432, 80, 443])
    expect(await ports({ allowPort: [53, 3128, 25, 8000], targetPort: 8000 })).toEqual([25])
    const everything = await ports({ allowHost: ['localhost:7777'], allowPort: [8888], allowAll: true })
    expect(everything).toEqual(expect.arrayContaining([7777, 8888, 22, 80, 443, 5432, 27017]))
    const many = Array.from({ length: 100 }, (_, at) => 10_000 + at)
    expect(await ports({ allowHost: ['localhost:7777'], allowPort: many, allowAll: true })).toHaveLength(48)
    for (const port of [3000, 5000, 8000, 8080]) expect(everything).not.toContain(port)
    const { unlisted } = await gates.open('w', rules({ allowHost: ['localhost:5432', 'a.example'] }))
    expect(unlisted).toEqual([80, 443])
  })

  it('tell why, with the workload, once for each place and again after a minute', async () => {
    let now = 0
    const { gates, blocked } = await makeGates({ now: () => now })
    const way = await gates.open('w', rules({ allowHost: ['a.example'] }))
    const proxy = join(way.folder, way.proxy)
    for (let times = 0; times < 3; times += 1)
      expect(await ask(proxy, 'b.example:443')).toContain('b.example:443 is not in allow_host')
    await ask(proxy, 'a.example:22')
    expect(blocked).toEqual([
      'w: blocked: b.example:443 is not in allow_host',
      'w: blocked: a.example:22 is not in allow_port',
    ])
    now = 60_000
    await ask(proxy, 'b.example:443')
    expect(blocked).toHaveLength(3)
  })

  it('tell every attempt with the workload it came from', async () => {
    const { gates, seen } = await makeGates()
    const way = await gates.open('w', rules({ allowHost: ['a.example'] }))
    for (let times = 0; times < 2; times += 1) await ask(join(way.folder, way.proxy), 'b.example:443')
    expect(seen.map(({ workload, sighting: { host, outcome } }) => [workload, host, outcome])).toEqual([
      ['w', 'b.example', 'unlisted'],
      ['w', 'b.example', 'unlisted'],
    ])
  })

  it('keep the addresses of names over new rules and new daemons, until they are closed', async () => {
    const resolve = async () => ['93.184.216.34']
    const { gates, folder } = await makeGates({ resolve })
    const first = await gates.open('w', rules({ allowHost: ['a.example'] }))
    const a = await addressOf(first, 'a.example')
    expect(a).toMatch(/^198\.18\./)
    const second = await gates.open('w', rules({ allowHost: ['b.example', 'a.example'] }))
    const b = await addressOf(second, 'b.example')
    expect(b).not.toBe(a)
    await gates[Symbol.asyncDispose]()
    const { gates: next } = await makeGates({ folder, resolve })
    const third = await next.open('w', rules({ allowHost: ['c.example', 'a.example', 'b.example'] }))
    expect([await addressOf(third, 'b.example'), await addressOf(third, 'a.example')]).toEqual([b, a])
    expect([a, b]).not.toContain(await addressOf(third, 'c.example'))
    await next.close('w')
    expect(await readdir(folder)).toEqual([])
  })

  it('put new rules in force, and are the same while the rules are', async () => {
    const { gates, blocked } = await makeGates()
    const first = await gates.open('w', rules({ allowHost: ['a.example'] }))
    expect(await gates.open('w', rules({ allowHost: ['a.example'] }))).toBe(first)
    const second = await gates.open('w', rules({ allowHost: ['b.example'] }))
    expect(second.folder).toBe(first.folder)
    expect(await ask(join(second.folder, second.proxy), 'b.example:443')).toContain('b.example:443 has no address')
    expect(blocked).toEqual([])
  })

  it('leave nothing behind when they are closed, and the folder when only the daemon ends', async () => {
    const { gates, folder } = await makeGates()
    await gates.open('gone', rules({ allowHost: ['a.example'] }))
    await gates.close('gone')
    await gates.close('gone')
    expect(await readdir(folder)).toEqual([])
    await gates.open('stays', rules({ allowHost: ['a.example'] }))
    await gates[Symbol.asyncDispose]()
    expect(await readdir(folder)).toHaveLength(2)
    const { gates: next } = await makeGates({ folder })
    await next.close('stays')
    expect(await readdir(folder)).toEqual([])
  })
})
