import { expect, test } from 'vitest'
import { instanceSpec } from './instance-spec.ts'
import type { StoredWorkload } from '../../ports/stores.ts'

test('leaves out labels of ours that a configuration was stored with', () => {
  const container_labels = { a: 'b', toolhaven: 'no', 'toolhaven-session': 'x', 'toolhaven-instance': 'other' }
  const stored: StoredWorkload = {
    asked: {},
    config: { schema_version: 'v0.1.0', name: 'web', transport: 'stdio', container_labels },
    wanted: 'running',
    port: 1,
    createdAt: '',
    generation: 3,
    package: '',
    profileOrigin: 'default',
  }
  const { labels } = instanceSpec({
    ...{ stored, prepared: { id: 'x' }, source: { kind: 'image', reference: 'x' }, secrets: {}, instanceId: 'me' },
    ...{ network: 'none', mounts: [] },
  })
  expect(labels).toEqual({
    ...{ a: 'b', toolhaven: 'true', 'toolhaven-name': 'web' },
    ...{ 'toolhaven-instance': 'me', 'toolhaven-generation': '3' },
  })
})
