import { describeAttack } from '../src/attacks/describe-attack.ts'
import { openRawMcp } from '../src/attacks/raw-mcp.ts'
import { startRecordingServer } from '../src/attacks/recording-server.ts'
import { openTarget } from '../src/attacks/target.ts'
import { rawCall } from '../src/raw-call.ts'

/** Each can be read as two different requests. */
const BODIES: Readonly<Record<string, string>> = {
  'a key twice': '{"name":"first","name":"second"}',
  'a key twice, once in disguise': String.raw`{"name":"third","na\u006de":"fourth"}`,
}

const CALLS: Readonly<Record<string, string>> = {
  'the tool twice': '{"name":"env","name":"echo","arguments":{"text":"x"}}',
  'the tool twice, once in disguise': String.raw`{"na\u006de":"env","name":"echo","arguments":{"text":"x"}}`,
  'the tool in two cases': '{"name":"echo","Name":"env","arguments":{"text":"x"}}',
}

describeAttack('a request that can be read in two ways', {
  defence: 'the refusal of ambiguous JSON',
  weaknesses: [
    {
      file: 'packages/api/src/read-body.ts',
      find: 'return parseJson(text, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES })',
      replace: 'return JSON.parse(text)',
    },
    {
      file: 'packages/gateway/src/messages/parse.ts',
      find: 'if (isDecidedOn()) return',
      replace: 'if (isDecidedOn() && false) return',
    },
    {
      file: 'packages/gateway/src/messages/twin-of.ts',
      find: 'const twin = ENVELOPE.twinIn(message)',
      replace: 'if (message !== undefined) return undefined\n  const twin = ENVELOPE.twinIn(message)',
    },
  ],
  attack: async (build) => {
    await using server = await startRecordingServer()
    await using target = await openTarget(build, { url: server.url, tools: ['echo'] })
    const gains: Record<string, boolean> = {}
    for (const [what, body] of Object.entries(BODIES)) {
      const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
      gains[`the API takes ${what}`] = (await rawCall(target.daemon, '/api/v1beta/groups', call)).status === 201
    }
    const client = await openRawMcp(target.url)
    for (const [what, params] of Object.entries(CALLS)) {
      const before = server.received.length
      await client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)
      const passed = server.received.slice(before).map(({ body }) => body)
      gains[`a server that may only be asked for echo gets ${what}`] = passed.some((body) => body.includes('"env"'))
    }
    return gains
  },
})
