import { expect } from 'vitest'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { createWorkload } from '../../src/workloads/operations/create.ts'

export const PACKAGE = { name: 'web', image: 'npx://web@1.0.0', permission_profile: { name: 'none' } }

export async function running(fake: FakeDaemon, name = 'web') {
  await createWorkload(fake.daemon.workloads, { ...PACKAGE, name })
  await settle()
  expect(status(fake, name)).toBe('running')
}

export const status = (fake: FakeDaemon, name = 'web') => fake.daemon.workloads.book.status(name).status
export const context = (fake: FakeDaemon, name = 'web') => fake.daemon.workloads.book.status(name).context
