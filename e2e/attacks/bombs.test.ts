import { describe } from 'vitest'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import type { Build, Weakness } from '../src/attacks/build.ts'
import { type Captive, openCaptive } from '../src/attacks/captive.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { type Platform, type PlatformKind, platformsInTurn, usePlatform } from '../src/platform.ts'

/** Takes 400 MiB and keeps them. */
const HOARD = `const held = []; for (let n = 0; n < 40; n++) held.push(Buffer.alloc(10 << 20, 1)); console.log('survived', held.length)`

/**
 * Starts many processes that wait until it ends, and prints how many there are. Prints nothing when the last could not
 * be started.
 */
const crowd = (size: number) => `const { spawn } = require('node:child_process')
const script = 'exec 3<&0; n=0; while [ $n -lt ${size} ]; do ( read x <&3 ) & n=$((n+1)); done; echo $n'
spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] }).stdout.on('data', (text) => { console.log(String(text)); process.exit() })
  .on('end', () => process.exit())`

/** Opens as many files as it can, up to 6000. */
const OPEN_FILES = `const fs = require('node:fs'); let n = 0; try { for (; n < 6000; n++) fs.openSync('/dev/null') } catch {} console.log(n)`

/** Prints to which of its arguments it could write 600 MiB. */
const FILL = `const fs = require('node:fs'); const part = Buffer.alloc(10 << 20, 1)
console.log(JSON.stringify(process.argv.slice(1).filter((folder) => {
  const file = folder + '/bomb'
  try { for (let n = 0; n < 60; n++) fs.appendFileSync(file, part); return true } catch { return false } finally { fs.rmSync(file, { force: true }) }
})))`

/** Every folder of a sandbox that is in memory. */
const IN_MEMORY = ['/tmp', '/home/user', '/run', '/dev/shm', '/dev']

/** Without it, a limit that nothing enforces is accepted. */
const REFUSAL: Weakness = {
  file: 'packages/core/src/workloads/config/check-resources.ts',
  find: 'if (faults.length > 0) throw',
  replace: 'if (faults.length > 9) throw',
}

const DEFAULTS: readonly Weakness[] = [
  {
    file: 'packages/runtimes/src/default-limits.ts',
    find: 'export const DEFAULT_PIDS = 512',
    replace: 'export const DEFAULT_PIDS = 8192',
  },
  {
    file: 'packages/runtimes/src/default-limits.ts',
    find: 'export const SHARED_PIDS = 2048',
    replace: 'export const SHARED_PIDS = 8192',
  },
  {
    file: 'packages/runtimes/src/default-limits.ts',
    find: '{ soft: 1024, hard: 4096 }',
    replace: '{ soft: 1024, hard: 16384 }',
  },
  {
    file: 'packages/runtimes/src/default-limits.ts',
    find: 'export const TEMPORARY_BYTES = 512 << 20',
    replace: 'export const TEMPORARY_BYTES = 900 << 20',
  },
  {
    file: 'packages/runtimes/src/default-limits.ts',
    find: 'export const SHARED_MEMORY_BYTES = 256 << 20',
    replace: 'export const SHARED_MEMORY_BYTES = 900 << 20',
  },
]

const ENGINE_LIMITS: readonly Weakness[] = [
  ...DEFAULTS,
  REFUSAL,
  {
    file: 'packages/runtimes/src/engine/container-body.ts',
    find: 'PidsLimit: spec.limits.pids ?? DEFAULT_PIDS,',
    replace: 'PidsLimit: 8192,',
  },
  {
    file: 'packages/runtimes/src/engine/container-body.ts',
    find: 'const memory = spec.limits.memoryBytes ?? DEFAULT_MEMORY_BYTES',
    replace: 'const memory = 4 << 28',
  },
]

const LIMITS: Record<PlatformKind, readonly Weakness[]> = {
  process: [
    ...DEFAULTS,
    REFUSAL,
    {
      file: 'packages/runtimes/src/process/control-group.ts',
      find: 'if (controller === undefined || value === undefined) continue',
      replace: 'if (controller === undefined || value !== -1) continue',
    },
    { file: 'packages/runtimes/src/process/bubblewrap.ts', find: "...['--remount-ro', '/dev'],", replace: '' },
  ],
  docker: ENGINE_LIMITS,
  podman: ENGINE_LIMITS,
}

interface Bomb {
  name: string
  request: CreateRequest
  platforms?: readonly PlatformKind[]
  explodes: (captive: Captive) => Promise<Record<string, boolean>>
}

const BOMBS: readonly Bomb[] = [
  {
    name: 'memory beyond a limit',
    request: { resources: { memory_mb: 192 } },
    explodes: async ({ run }) => {
      // The kernel may kill the server itself as well.
      const said = await run('node', '-e', HOARD).catch(String)
      return { 'more memory than its limit': said.startsWith('survived') }
    },
  },
  {
    name: 'processes beyond a limit',
    request: { resources: { pids: 60 } },
    explodes: async ({ run }) => ({
      'more processes than its limit': Number(await run('node', '-e', crowd(80))) === 80,
    }),
  },
  {
    name: 'processes without a limit in its configuration',
    request: {},
    explodes: async ({ run }) => ({ '2100 processes': Number(await run('node', '-e', crowd(2100))) === 2100 }),
  },
  {
    name: 'open files',
    request: {},
    explodes: async ({ run }) => ({ '6000 open files': Number(await run('node', '-e', OPEN_FILES)) === 6000 }),
  },
  {
    name: 'folders in memory',
    request: {},
    // The fixture's image writes to its own layer, so containers have no such folders. Package images are tried in
    // packages.engine.test.ts.
    platforms: ['process'],
    explodes: async ({ run }) => {
      const filled: unknown = JSON.parse(await run('node', '-e', FILL, ...IN_MEMORY))
      return Object.fromEntries(
        IN_MEMORY.map((folder) => [`600 MiB in ${folder}`, Array.isArray(filled) && filled.includes(folder)]),
      )
    },
  },
]

/** A limit that the runtime cannot enforce is refused, and then the bomb does not go off either. */
async function openUnlessRefused(build: Build, platform: Platform, request: CreateRequest) {
  return openCaptive(build, platform, request).catch((error: unknown) => {
    if (/cannot be enforced/.test(String(error))) return undefined
    throw error
  })
}

describe.each(platformsInTurn(import.meta.url))('on %s', (kind) => {
  const platform = usePlatform(kind)
  for (const { name, request, platforms, explodes } of BOMBS) {
    if (platforms?.includes(kind) === false) continue
    describeAttack(`a bomb of ${name}`, {
      defence: 'the limits of the workload',
      weaknesses: LIMITS[kind],
      attack: async (build, context) => {
        await using captive = await openUnlessRefused(build, platform(context), request)
        return captive === undefined ? { 'a limit that nobody keeps': false } : await explodes(captive)
      },
    })
  }
})
