import { describeAttack } from '../src/attacks/describe-attack.ts'
import { openRawMcp } from '../src/attacks/raw-mcp.ts'
import { openTarget } from '../src/attacks/target.ts'

const HIDDEN = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'add', arguments: { a: 20, b: 22 } } }
const ALLOWED = { jsonrpc: '2.0', id: 8, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } }

describeAttack('a way around the list of tools', {
  defence: 'the filter on calls and lists',
  weaknesses: [
    {
      file: 'packages/gateway/src/policy/decisions/tool-filter.ts',
      find: "if (names === undefined || request.method !== 'tools/call') return undefined",
      replace: 'if (names !== null) return undefined',
    },
    {
      file: 'packages/gateway/src/policy/decisions/tool-filter.ts',
      find: "if (names === undefined || method !== 'tools/list' || !isObject(result)) return answer",
      replace: 'if (names !== null) return answer',
    },
  ],
  attack: async (build) => {
    await using target = await openTarget(build, { tools: ['echo'] })
    const client = await openRawMcp(target.url)
    const isAnswered = (body: string) => body.includes('"42"')
    const list = await client.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
    const plain = await client.send(JSON.stringify(HIDDEN))
    const batch = await client.send(JSON.stringify([ALLOWED, HIDDEN]))
    return {
      'a hidden tool is listed': list.body.includes('"add"'),
      'a hidden tool is called': isAnswered(plain.body),
      'a hidden tool is called among others': isAnswered(batch.body),
    }
  },
})
