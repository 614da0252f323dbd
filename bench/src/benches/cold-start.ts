import { performance } from 'node:perf_hooks'
import type { ApiClient } from '@toolhaven/contract/client'
import { startDocker } from '@toolhaven/testing/testbed/docker'
import { buildServerImage } from '@toolhaven/testing/testbed/server-image'
import { type Bench, type Figure, lessIsBetter } from '../figure.ts'
import { FIXTURE_IMAGE } from '../rig/fixture.ts'
import { makeHome, startDaemon } from '../rig/home.ts'
import { openHttp } from '../rig/mcp-http.ts'
import { openStdio } from '../rig/mcp-stdio.ts'
import type { Rig } from '../rig/rig.ts'
import { inTurns, of, summarise } from '../rig/statistics.ts'
import { apiOf, remove } from '../rig/workloads.ts'

const ROUNDS = 10
const LIST_TOOLS = { method: 'tools/list' }
const ENVIRONMENT = { PATH: process.env['PATH'] ?? '' }

/** The image and the package already exist on both sides: this measures starting, not fetching. */
export const coldStart: Bench = {
  name: 'cold-start',
  title: 'From "create" to the first tools/list against starting the same server by hand and speaking to its pipes',
  run: async (rig) => [...(await onDocker(rig)), ...(await inSandbox(rig))],
}

async function onDocker(rig: Rig): Promise<Figure[]> {
  rig.say('starting a private Docker …')
  await using engine = await startDocker()
  await buildServerImage(engine, FIXTURE_IMAGE)
  const host = `unix://${engine.socketPath}`
  await using home = await makeHome({ THV_RUNTIME: 'docker', DOCKER_HOST: host })
  await using daemon = await startDaemon(home)
  const byHand = ['-H', host, 'run', '-i', '--rm', ...SAME_FLAGS, FIXTURE_IMAGE]
  return await compare('Docker', apiOf(daemon), FIXTURE_IMAGE, { command: 'docker', args: byHand })
}

/** What the daemon asks of the engine for a container with the default profile. */
const SAME_FLAGS = [
  ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--pids-limit', '512'],
  ...['--memory', '1g', '--memory-swap', '1g', '--init', '--network', 'bridge'],
  ...['--log-driver', 'json-file', '--log-opt', 'max-size=5m', '--log-opt', 'max-file=2'],
]

async function inSandbox(rig: Rig): Promise<Figure[]> {
  await using home = await rig.processHome()
  await using daemon = await startDaemon(home)
  const byHand = [...SAME_NAMESPACES, process.execPath, rig.fixture.file]
  return await compare('bubblewrap', apiOf(daemon), rig.fixture.image, { command: 'bwrap', args: byHand })
}

/** A person's short form of the same sandbox. The daemon binds single folders instead of the whole root. */
const SAME_NAMESPACES = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--disable-userns'],
  ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--uid', '1000', '--gid', '1000'],
  ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/run'],
]

/** From issue 17. A sidecar is one more container to start, so Docker may take longer. */
const BEST_TARGETS = { Docker: 1.4, bubblewrap: 1.3 } as const

async function compare(
  label: keyof typeof BEST_TARGETS,
  api: ApiClient,
  image: string,
  byHand: { command: string; args: readonly string[] },
): Promise<Figure[]> {
  let serial = 0
  const ours = async () => {
    const name = `cold-${serial++}`
    const begun = performance.now()
    const { port } = await api.call('createWorkload', { body: { name, image } })
    const session = await openHttp(`http://127.0.0.1:${port}/mcp`)
    await session.call(LIST_TOOLS)
    const took = performance.now() - begun
    await session[Symbol.asyncDispose]()
    await remove(api, name)
    return took
  }
  const direct = async () => {
    const begun = performance.now()
    await using session = await openStdio(byHand.command, byHand.args, ENVIRONMENT)
    await session.call(LIST_TOOLS)
    return performance.now() - begun
  }
  const contenders = { ours, direct }
  await inTurns(1, contenders) // fetches the package
  const rounds = await inTurns(ROUNDS, contenders)
  const [mine, theirs] = [summarise(of(rounds, 'ours')), summarise(of(rounds, 'direct'))]
  return [
    lessIsBetter({
      name: `${label}, median`,
      unit: 'ms',
      ours: mine.p50,
      baseline: theirs.p50,
      target: { of: 'ratio', below: 1.3 },
    }),
    lessIsBetter({
      name: `${label}, best`,
      unit: 'ms',
      ours: mine.min,
      baseline: theirs.min,
      target: { of: 'ratio', below: BEST_TARGETS[label] },
    }),
  ]
}
