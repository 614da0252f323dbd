import { expect } from 'vitest'
import type { ImageServer } from '@toolhaven/contract/registry-document'
import { upgradePlan, upgradeResult } from '@toolhaven/contract/upgrades'
import { type FakeDaemon, type FakeDaemonParts, fakeRegistry, startFakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { done, send } from '@toolhaven/testing/scenario'

export const OLD = `sha256:${'1'.repeat(64)}`
export const NEW = `sha256:${'2'.repeat(64)}`

/** A daemon whose registry can move on. */
export async function withRegistry(parts: FakeDaemonParts = {}) {
  const registry = structuredClone(fakeRegistry)
  const { everything } = registry.servers
  if (!everything) throw new Error('the registry has it')
  const release = (changes: Partial<ImageServer>) => Object.assign(everything, changes)
  return { fake: await startFakeDaemon({ registry, ...parts }), release }
}

export const run = (fake: FakeDaemon, image: string, more: object = {}) =>
  done(fake, 'POST /api/v1beta/workloads', { name: 'web', image, permission_profile: { name: 'none' }, ...more })

export const planOf = async (fake: FakeDaemon) =>
  upgradePlan.parse(JSON.parse((await done(fake, 'GET /api/v1beta/workloads/web/upgrade')).text))

export const upgrade = async (fake: FakeDaemon, body: object = {}) =>
  upgradeResult.parse(JSON.parse((await done(fake, 'POST /api/v1beta/workloads/web/upgrade', body)).text))

export const stored = (fake: FakeDaemon) => fake.daemon.workloads.book.get('web').stored
export const status = (fake: FakeDaemon) => fake.daemon.workloads.book.status('web').status
export const runs = (fake: FakeDaemon) => fake.runtime.instances.get('thv-web')?.spec.source

/** An upgrade whose new version is not there yet. */
export async function beingFetched(fake: FakeDaemon) {
  await run(fake, 'npx://web@1.0.0')
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  fake.runtime.whilePreparing = () => promise
  const answer = send(fake, 'POST /api/v1beta/workloads/web/upgrade', { body: {} })
  await expect.poll(() => stored(fake).upgrade?.generation).toBe(2)
  return { answer, goOn }
}
