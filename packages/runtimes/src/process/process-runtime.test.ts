import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { FIXTURE_PACKAGE, writeFixturePackage } from '@toolhaven/testing/runtime-suite/fixture-package'
import { forwardingCases } from '@toolhaven/testing/runtime-suite/forwarding-cases'
import type { RuntimeUnderTest } from '@toolhaven/testing/runtime-suite/session'
import { describeRuntime } from '@toolhaven/testing/runtime-suite'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import { until } from '@toolhaven/testing/testbed/until'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import { findProgram } from '../package-index/find-program.ts'
import { testIsolation } from '../../test/support/isolation.ts'
import { createProcessRuntime } from './process-runtime.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

describeRuntime('the process sandbox', () => processUnderTest(testIsolation))

describeRuntime(
  'the process sandbox with socat',
  async () => {
    const tools = await mkdtemp(join(tmpdir(), 'thv-tools-'))
    // Without a compiler.
    for (const name of ['socat', 'setpriv', 'bwrap']) {
      const program = await findProgram(name, process.env['PATH'])
      if (program === undefined) throw new Unavailable(`${name} is not installed`)
      await symlink(program, join(tools, name))
    }
    const under = await processUnderTest((folder) => testIsolation(folder, { PATH: tools }))
    return {
      ...under,
      lacks: { ...under.lacks, names: 'socat cannot take connections to every address' },
      async [Symbol.asyncDispose]() {
        await under[Symbol.asyncDispose]()
        await rm(tools, { recursive: true })
      },
    }
  },
  {
    'says that socat is in use': async ({ runtime }) => {
      const health = await runtime.probe(AbortSignal.timeout(30_000))
      expect(health).toMatchObject({
        capabilities: { sandbox: expect.stringMatching(/^bubblewrap .*, socat as forwarder$/) },
        notes: expect.arrayContaining([
          expect.stringContaining('connected by socat'),
          expect.stringContaining('ignore the proxy variables'),
        ]),
      })
    },
    'leaves no socat behind': async ({ runtime, open }) => {
      const { handle } = await open(['http', '8124'], { network: 'none', targetPort: 8124, stdio: false })
      const state = await runtime.inspect(handle, AbortSignal.timeout(30_000))
      const socketPath = (state.state === 'running' && state.address?.socketPath) || ''
      expect(await commandsWith(socketPath)).not.toEqual([])
      await runtime.remove(handle, AbortSignal.timeout(30_000))
      await until('they are gone', async () => (await commandsWith(socketPath)).length === 0)
    },
    ...forwardingCases,
  },
)

async function commandsWith(word: string): Promise<string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const commands = processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))
  return (await Promise.all(commands)).filter((command) => command.includes('socat') && command.includes(word))
}

async function processUnderTest(isolationBelow: (folder: string) => IsolationPlaces): Promise<RuntimeUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-process-'))
  await writeFixturePackage(join(folder, 'fixture'))
  const registry = await startPackageRegistry([join(folder, 'fixture')])
  const { PATH } = process.env
  const make = () =>
    createProcessRuntime({
      dataDir: join(folder, 'data'),
      nodePath: process.execPath,
      env: { PATH, npm_config_registry: registry.url },
      homeDir: join(folder, 'home'),
      allowUnsandboxed: false,
      isolation: isolationBelow(join(folder, 'data')),
      logger: silent,
    })
  const runtime = make()
  const dispose = async () => {
    await runtime[Symbol.asyncDispose]()
    await registry[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  }
  const health = await runtime.probe(AbortSignal.timeout(30_000))
  if (health.state !== 'healthy') {
    await dispose()
    throw new Unavailable(health.reason)
  }
  return {
    runtime,
    fixture: { kind: 'package', scheme: 'npx', ...FIXTURE_PACKAGE },
    absent: { kind: 'package', scheme: 'npx', name: 'thv-nobody-has-this', version: '9.9.9' },
    reopen: async () => make(),
    [Symbol.asyncDispose]: dispose,
  }
}
