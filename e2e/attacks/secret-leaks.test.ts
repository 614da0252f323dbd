import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { usePlatform } from '../src/platform.ts'
import { untilStatus } from '../src/statuses.ts'

const CANARY = 'canary "51d0" & never to be seen'

/** Forms in which a value may appear in a log. */
const SPELLINGS: Readonly<Record<string, string>> = {
  'as it is': CANARY,
  'in JSON': JSON.stringify({ token: CANARY }),
  'in an address': `https://api.example/?token=${encodeURIComponent(CANARY)}`,
}
const needles = [CANARY, JSON.stringify(CANARY).slice(1, -1), encodeURIComponent(CANARY)]

const platform = usePlatform('process')

describeAttack('a server that says its secret aloud', {
  defence: 'the masking of secret values',
  weaknesses: [
    {
      file: 'packages/core/src/secrets/masker.ts',
      find: 'let masked = text\n',
      replace: 'let masked = text\n      if (text !== undefined) return text\n',
    },
  ],
  attack: async (build, context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using daemon = await build.start(home, ['--debug'])
    await daemon.api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
    await daemon.api.call('createSecret', { body: { key: 'token', value: CANARY } })
    const secrets = [{ name: 'token', target: 'API_TOKEN' }]
    await daemon.api.call('createWorkload', { body: { name: 'talker', image: here.fixture, secrets } })
    await untilStatus(daemon, 'talker', 'running')
    const { url } = await daemon.api.call('getWorkload', { params: { name: 'talker' } })
    await using connection = await connectMcp(url)
    const gains: Record<string, boolean> = {}
    const isLeaked = (text: string) => needles.some((needle) => text.includes(needle))
    for (const [what, text] of Object.entries(SPELLINGS)) {
      await callText(connection, 'say', { text: `${what}: ${text}` })
      const log = await daemon.api.call('getWorkloadLogs', { params: { name: 'talker' } })
      gains[`the log shows it ${what}`] = isLeaked(
        log
          .split('\n')
          .filter((line) => line.includes(what))
          .join(),
      )
    }
    await daemon.stop()
    const folder = join(home.stateDir, 'logs')
    const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
    gains['a file of the log holds it'] = files.some(isLeaked)
    return gains
  },
})
