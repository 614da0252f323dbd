import { startIdentityProvider } from '@toolhaven/testing/testbed/identity-provider'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { openRawMcp } from '../src/attacks/raw-mcp.ts'
import { startRecordingServer } from '../src/attacks/recording-server.ts'
import { openTarget } from '../src/attacks/target.ts'

describeAttack('a token that is meant for somebody else', {
  defence: 'the check of whom a token is for, and its end at the gateway',
  weaknesses: [
    { file: 'packages/gateway/src/oidc/token-check.ts', find: 'audience: [...audiences],', replace: '' },
    {
      file: 'packages/gateway/src/http/server/end-to-end-headers.ts',
      find: "  'authorization',\n",
      replace: '',
    },
  ],
  attack: async (build) => {
    await using provider = await startIdentityProvider()
    await using server = await startRecordingServer()
    const oidc = { issuer: provider.issuer, audience: 'https://tools.example', allow_private_ip: true }
    await using target = await openTarget(build, { url: server.url, oidc })
    const callWith = async (audience: string) => {
      const token = await provider.token({ audience })
      const client = await openRawMcp(target.url, { authorization: `Bearer ${token}` })
      return { token, ...(await client.call('echo', { text: 'hello' })) }
    }
    const stolen = await callWith('https://mail.example')
    const own = await callWith('https://tools.example')
    if (own.status !== 200) throw new Error(`the owner of the token was refused: ${own.body}`)
    return {
      'a token for another service is taken': stolen.status === 200,
      "the caller's token is passed on": server.received.some(({ headers }) =>
        headers.authorization?.includes(own.token),
      ),
    }
  },
})
