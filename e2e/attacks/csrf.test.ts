import { describeAttack } from '../src/attacks/describe-attack.ts'
import { openTarget } from '../src/attacks/target.ts'
import { rawCall } from '../src/raw-call.ts'

/** What a page of another site can make a browser send. Each breaks only one rule. */
const REQUESTS: Readonly<Record<string, Record<string, string>>> = {
  'JSON called plain text': { 'content-type': 'text/plain' },
  'JSON called a form': { 'content-type': 'application/x-www-form-urlencoded' },
  'JSON called a form with files': { 'content-type': 'multipart/form-data; boundary=application/json' },
  'JSON called nothing': {},
  'a foreign Origin': { 'content-type': 'application/json', origin: 'https://evil.example' },
  'the Origin of a name like ours': { 'content-type': 'application/json', origin: 'http://localhost.evil.example' },
  'the Origin of a sandboxed page': { 'content-type': 'application/json', origin: 'null' },
  'the mark of another site': { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' },
  'the mark of a neighbour site': { 'content-type': 'application/json', 'sec-fetch-site': 'same-site' },
}

const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
})

describeAttack('a request that a page of another site sends (CSRF)', {
  defence: 'the check of where a request comes from and what it says its body is',
  weaknesses: [
    {
      file: 'packages/core/src/guard/check-request.ts',
      find: `    checkOrigin(request.origin, policy) ??
    checkFetchSite(request.secFetchSite) ??
    checkBody(request) ?? { ok: true }`,
      replace: '    { ok: true }',
    },
  ],
  attack: async (build) => {
    await using target = await openTarget(build)
    const { daemon } = target
    const gains: Record<string, boolean> = {}
    for (const [at, [what, headers]] of Object.entries(REQUESTS).entries()) {
      const name = `made-by-a-page-${at}`
      const body = JSON.stringify({ name })
      await rawCall({ port: daemon.port }, '/api/v1beta/groups', { method: 'POST', headers, body })
      const { groups } = await daemon.api.call('listGroups', {})
      gains[`a group is made by ${what}`] = groups.some((group) => group.name === name)
      const accept = 'application/json, text/event-stream'
      const call = { method: 'POST', headers: { accept, ...headers }, body: INITIALIZE }
      gains[`a server is spoken to by ${what}`] = (await rawCall({ port: target.port }, '/mcp', call)).status === 200
    }
    return gains
  },
})
