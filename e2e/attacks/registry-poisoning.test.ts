import { createServer } from 'node:http'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { makeHome } from '../src/home.ts'
import { rawCall } from '../src/raw-call.ts'

const server = (extra = '') =>
  `{"image":"npx://x@1.0.0","description":"d","tier":"Community","status":"active","transport":"stdio","tools":["t"]${extra}}`
const document = (servers: string) =>
  `{"version":"1.0.0","last_updated":"2026-01-15T00:00:00Z","remote_servers":{},"servers":${servers}}`

/** Each is a registry to a reader that is not careful. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'a server twice': document(`{"good":${server()},"good":${server(',"args":["--evil"]')}}`),
  'a server twice, once in disguise': document(String.raw`{"good":${server()},"g\u006fod":${server()}}`),
  'a document of 40 MiB': document(
    `{"good":${server(`,"repository_url":"https://a.example/${'x'.repeat(40 << 20)}"`)}}`,
  ),
}

describeAttack('a registry that was poisoned', {
  defence: 'the strict and bounded reading of registries',
  weaknesses: [
    {
      file: 'packages/stores/src/registry/parse-registry.ts',
      find: 'return parseJson(text, { maxDepth: MAX_DEPTH })',
      replace: 'return JSON.parse(text)',
    },
    {
      file: 'packages/stores/src/net/cap-body.ts',
      find: "if (!headers.has('content-encoding') && declared > maxBytes) throw tooLarge(url, maxBytes)",
      replace: '',
    },
    {
      file: 'packages/stores/src/net/cap-body.ts',
      find: 'if (bytes > maxBytes) throw tooLarge(url, maxBytes)',
      replace: '',
    },
  ],
  attack: async (build) => {
    let served = ''
    const host = createServer((_request, response) => response.end(served)).listen(0, '127.0.0.1')
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    await using daemon = await build.start(home)
    const address = host.address()
    if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
    const gains: Record<string, boolean> = {}
    const take = async (text: string, path: string) => {
      served = text
      const body = JSON.stringify({ url: `http://127.0.0.1:${address.port}/${path}`, allow_private_ip: true })
      const headers = { 'content-type': 'application/json' }
      return (await rawCall(daemon, '/api/v1beta/registry/default', { method: 'PUT', headers, body })).status === 200
    }
    if (!(await take(document(`{"good":${server()}}`), 'good'))) throw new Error('an honest registry is not taken')
    for (const [at, [what, text]] of Object.entries(DOCUMENTS).entries())
      gains[`${what} is taken`] = await take(text, `${at}`)
    host.closeAllConnections()
    host.close()
    return gains
  },
})
