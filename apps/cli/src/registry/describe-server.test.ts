import { expect, test } from 'vitest'
import type { ImageServer } from '@toolhaven/contract/registry-document'
import { describeServer } from './describe-server.ts'

const plain = { bold: (text: string) => text, dim: (text: string) => text }

function networkLine(outbound: NonNullable<NonNullable<ImageServer['permissions']>['network']>['outbound']) {
  const server: ImageServer = {
    ...{ name: 'notes', description: 'Keeps notes', tier: 'Community', status: 'active', transport: 'stdio' },
    ...{ tools: [], image: 'npx://notes@1.0.0', permissions: { network: { outbound } } },
  }
  return describeServer(server, plain).find((line) => line.startsWith('Network'))
}

test('a server that chooses its hosts is said to need a flag for those of this machine', () => {
  const said = networkLine({ insecure_allow_all: true })
  expect(said).toBe('Network     every public host; for a local or private one, add --allow-host HOST:PORT')
})

test('listed hosts and ports are shown, and so is their absence', () => {
  expect(networkLine({ allow_host: ['api.example.com'], allow_port: [443] })).toContain('api.example.com, port 443')
  expect(networkLine({})).toContain('nothing')
})
