import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FIXTURE_PACKAGE, writeFixturePackage } from '@toolhaven/testing/runtime-suite/fixture-package'
import { describeRuntime } from '@toolhaven/testing/runtime-suite'
import { startPackageRegistry } from '@toolhaven/testing/testbed/package-registry'
import { Unavailable } from '@toolhaven/testing/testbed/unavailable'
import { testIsolation } from '../isolation/test-isolation.ts'
import { createProcessRuntime } from './process-runtime.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

describeRuntime('the process sandbox', async () => {
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
      isolation: testIsolation(join(folder, 'data')),
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
})
