import { describeAttack } from '../src/attacks/describe-attack.ts'
import { startInClosedNetwork } from '../src/attacks/start-in-closed-network.ts'

describeAttack('a name that leads elsewhere between the check and the connection', {
  defence: 'dialling the very address that was judged',
  weaknesses: [
    {
      file: 'packages/stores/src/net/vetted-dispatcher.ts',
      find: 'connect({ ...target, ...servername, hostname: address }, (error, socket) => {',
      replace: 'connect({ ...target, ...servername, hostname: host }, (error, socket) => {',
    },
  ],
  attack: async (build, context) => {
    await using network = await startInClosedNetwork(build, context)
    await network.call('PUT', '/registry/default', { url: 'https://turning.example/registry.json' })
    const hits = await network.hits()
    if (hits.length === 0) throw new Error('the name was not dialled at all')
    return { 'the private address is dialled': hits.includes('127.0.0.1') }
  },
})
