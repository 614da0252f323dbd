import { expect, test } from 'vitest'
import { SHIPPED } from '../src/attacks/build.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { openTarget } from '../src/attacks/target.ts'
import { rawCall } from '../src/raw-call.ts'

/** A page's own name that was made to lead to this machine, and names that resolvers treat like it. */
const NAMES = [
  'evil.example',
  'evil.example:8080',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'localhost.localdomain',
  'localtest.me',
  '127.1',
  '127.0.1',
  '127.0.0.2',
  '127.0.0.1.nip.io',
  '0.0.0.0',
  '0',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:0:0:1]',
  '[fe80::1]',
  'localhost..',
  'localhost-',
]

const ODD_IPV6 = new Set(['[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]'])

/** Every kind of route: with and without effect, documents, streams, and those that do not exist. */
const API_PATHS = ['/health', '/api/openapi.json', '/api/v1beta/workloads', '/api/v1beta/events', '/no-such-route']
const WORKLOAD_PATHS = ['/health', '/mcp', '/sse', '/no-such-route']

describeAttack('a page whose name leads to this machine (DNS rebinding)', {
  defence: 'the check of the Host header',
  weaknesses: [
    {
      file: 'packages/core/src/guard/check-request.ts',
      find: "if (isAllowed(parsed, policy)) return undefined\n  return refuse(\n    403,\n    'This Host",
      replace: "if (isAllowed(parsed, policy) || parsed) return undefined\n  return refuse(\n    403,\n    'This Host",
    },
  ],
  attack: async (build) => {
    await using target = await openTarget(build)
    const gains: Record<string, boolean> = {}
    /** It succeeds when the page gets what an honest caller gets. */
    const tryPort = async (what: string, port: number, path: string, host: string) => {
      const honest = await rawCall({ port }, path)
      const { status } = await rawCall({ port }, path, { headers: { host } })
      gains[`${what} ${path} as ${host}`] = status === honest.status
    }
    for (const host of NAMES) {
      // The web library of the API refuses these two itself, so they would prove nothing there.
      if (!ODD_IPV6.has(host)) await tryPort('the API', target.daemon.port, '/api/v1beta/workloads', host)
      await tryPort('a workload', target.port, '/health', host)
    }
    for (const path of API_PATHS) await tryPort('the API', target.daemon.port, path, 'evil.example')
    for (const path of WORKLOAD_PATHS) await tryPort('a workload', target.port, path, 'evil.example')
    return gains
  },
})

test('people reach both ports by each name they use for this machine', async () => {
  await using target = await openTarget(SHIPPED)
  for (const host of ['localhost', 'LOCALHOST', 'localhost.', '127.0.0.1', '[::1]', 'localhost:1', '[::1]:80']) {
    for (const port of [target.daemon.port, target.port])
      expect(await rawCall({ port }, '/health', { headers: { host } }), host).not.toMatchObject({ status: 403 })
  }
})
