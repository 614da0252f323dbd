import { describe } from 'vitest'
import type { Weakness } from '../src/attacks/build.ts'
import { type Captive, openCaptive } from '../src/attacks/captive.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { attackedPlatforms } from '../src/attacks/attacked-platforms.ts'
import { type PlatformKind, usePlatform } from '../src/platform.ts'

/** Takes 400 MiB and keeps them. */
const HOARD = `const held = []; for (let n = 0; n < 40; n++) held.push(Buffer.alloc(10 << 20, 1)); console.log('survived', held.length)`

/** Starts 80 processes at once and counts those that live. */
const CROWD = `const { spawn } = require('node:child_process')
let alive = 0, left = 80
const done = () => { if (--left === 0) { console.log(alive); process.exit() } }
for (let n = 0; n < 80; n++) {
  try { spawn('cat').on('spawn', () => { alive++; done() }).on('error', done) } catch { done() }
}`

const ENGINE_LIMITS: readonly Weakness[] = [
  {
    file: 'packages/runtimes/src/engine/container-body.ts',
    find: 'PidsLimit: spec.limits.pids ?? DEFAULT_PIDS,',
    replace: 'PidsLimit: 4096,',
  },
  {
    file: 'packages/runtimes/src/engine/container-body.ts',
    find: 'const memory = spec.limits.memoryBytes ?? DEFAULT_MEMORY_BYTES',
    replace: 'const memory = 4 << 28',
  },
]

const LIMITS: Record<PlatformKind, readonly Weakness[]> = {
  process: [
    {
      file: 'packages/runtimes/src/process/control-group.ts',
      find: 'if (groups.memory && memoryBytes !== undefined)\n    await set(',
      replace: 'if (groups.memory && memoryBytes === -1)\n    await set(',
    },
    {
      file: 'packages/runtimes/src/process/control-group.ts',
      find: 'if (groups.pids && pids !== undefined)',
      replace: 'if (groups.pids && pids === -1)',
    },
  ],
  docker: ENGINE_LIMITS,
  podman: ENGINE_LIMITS,
}

const BOMBS = [
  {
    limit: 'memory',
    note: /^Memory limits|cannot limit memory/,
    resources: { memory_mb: 192 },
    // The kernel may take the server itself along.
    explodes: async ({ run }: Captive) =>
      (await run('node', '-e', HOARD).catch((error: unknown) => String(error))).startsWith('survived'),
  },
  {
    limit: 'processes',
    note: /^Process (count|limits)|cannot limit processes/,
    resources: { pids: 60 },
    explodes: async ({ run }: Captive) => Number(await run('node', '-e', CROWD)) === 80,
  },
]

describe.each(attackedPlatforms('bombs'))('on %s', (kind) => {
  const platform = usePlatform(kind)
  for (const { limit, note, resources, explodes } of BOMBS)
    describeAttack(`a bomb that takes all ${limit}`, {
      defence: 'the limit of the workload',
      weaknesses: LIMITS[kind],
      attack: async (build, context) => {
        await using captive = await openCaptive(build, platform(context), { resources })
        // A limit that the runtime does not claim is not tried, and the reason is told.
        const { notes } = await captive.daemon.api.call('getRuntime', {})
        if (notes.some((text) => note.test(text))) context.skip(`the runtime says it cannot limit ${limit}`)
        return { [`all ${limit} are taken`]: await explodes(captive) }
      },
    })
})
