import * as z from 'zod'
import { startModernServer } from '@toolhaven/testing/mcp-servers/child-channel'
import { startIdentityProvider } from '@toolhaven/testing/testbed/identity-provider'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { openTarget } from '../src/attacks/target.ts'

const VERSION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const answerSchema = z.looseObject({ result: z.looseObject({ requestState: z.string().optional() }).optional() })

/** Calls the tool that asks to be asked again, with what it said the time before. */
async function askLater(url: string, token: string, state?: string) {
  const params = { name: 'later', arguments: {}, _meta: META, ...(state !== undefined && { requestState: state }) }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': 'later',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return answerSchema.parse(await response.json()).result
}

describeAttack("the state of another caller's request", {
  defence: 'the mark of its owner on state',
  weaknesses: [
    {
      file: 'packages/gateway/src/clients/stateless/sealed-states.ts',
      find: 'return found?.mark === mark && found.until > now ? found.state : undefined',
      replace: 'return found !== undefined && found.until > now ? found.state : undefined',
    },
  ],
  attack: async (build) => {
    await using provider = await startIdentityProvider()
    await using cleanUp = new AsyncDisposableStack()
    const server = await startModernServer()
    cleanUp.defer(() => server.kill())
    const audience = 'https://tools.example'
    const oidc = { issuer: provider.issuer, audience, allow_private_ip: true }
    await using target = await openTarget(build, { url: server.url, oidc })
    const [owner, thief] = [await provider.token({ audience }), await provider.token({ audience, client: 'two' })]
    const state = (await askLater(target.url, owner))?.requestState
    if (state === undefined) throw new Error('the server gave no state')
    return { 'the server goes on with it': (await askLater(target.url, thief, state)) !== undefined }
  },
})
